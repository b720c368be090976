// Short messages at the bottom left, and copying, which always says that it worked.
import { useEffect, useSyncExternalStore } from "react";
import { Icon } from "./basics";
import type { IconName } from "./icons";

interface Toast {
  text: string;
  icon: IconName;
}

let current: Toast | null = null;
const listeners = new Set<() => void>();

export function toast(text: string, icon: IconName = "check"): void {
  current = { text, icon };
  for (const notify of listeners) notify();
}

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}`);
  } catch {
    toast("Could not copy: the browser refused", "circle-alert");
  }
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => current);
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => {
      if (current !== shown) return;
      current = null;
      for (const notify of listeners) notify();
    }, 5_000);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown && (
        <div className="toast">
          <Icon name={shown.icon} />
          {shown.text}
        </div>
      )}
    </div>
  );
}
