// What floats above a page: menus, dialogs and drawers. The browser's own `dialog` keeps the focus inside.
import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import { Icon } from "./basics";

export function Menu({ label, children, className = "btn", align = "left" }: { label: ReactNode; children: (close: () => void) => ReactNode; className?: string; align?: "left" | "right" }) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    const leave = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", leave);
    root.current?.querySelector<HTMLElement>(".menu a, .menu button, .menu input, .menu select")?.focus();
    return () => document.removeEventListener("pointerdown", leave);
  }, [isOpen]);
  const keys = (event: React.KeyboardEvent) => {
    if (event.key === "Escape" && isOpen) {
      event.stopPropagation();
      setOpen(false);
      button.current?.focus();
      return;
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const isField = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (step === 0 || !isOpen || isField) return;
    event.preventDefault();
    const items = [...(root.current?.querySelectorAll<HTMLElement>(".menu a, .menu button") ?? [])];
    const place = items.indexOf(document.activeElement as HTMLElement);
    items[(place + step + items.length) % items.length]?.focus();
  };
  return (
    <div className="menuroot" ref={root} onKeyDown={keys}>
      <button ref={button} type="button" className={className} aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {label}
      </button>
      {isOpen && (
        <div className={`menu ${align}`} id={id}>
          {children(() => setOpen(false))}
        </div>
      )}
    </div>
  );
}

/** A modal dialog: `kind` is its shape. It closes with Escape, with its button and by a click beside it. */
export function Dialog({ title, kind = "dialog", note, onClose, children, footer }: { title: string; kind?: "dialog" | "drawer"; note?: ReactNode; onClose: () => void; children: ReactNode; footer?: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    dialog?.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={kind}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {note && <p>{note}</p>}
        </div>
        <button type="button" className="btn ghost icon" aria-label="Close" onClick={onClose}>
          <Icon name="x" />
        </button>
      </header>
      {children}
      {footer && <footer>{footer}</footer>}
    </dialog>
  );
}

/** Asks before data is deleted that cannot be restored. */
export function Confirm({ title, children, action, onConfirm, onClose }: { title: string; children: ReactNode; action: string; onConfirm: () => void; onClose: () => void }) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <span className="grow" />
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button type="button" className="btn danger" onClick={onConfirm}>
            {action}
          </button>
        </>
      }
    >
      <div className="body">{children}</div>
    </Dialog>
  );
}
