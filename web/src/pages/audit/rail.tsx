// Aspects with their counts.
import type { ReactNode } from "react";
import { Icon, Mark, Priority } from "../../parts/basics";
import { view } from "../../router";
import { at } from "../../base";
import { count } from "../../words";
import type { Aspect, Aspects } from "./aspects";

export function Rail({ aspects, current, onChoose, children }: { aspects: Aspects; current: string; onChoose: (id: string) => void; children: ReactNode }) {
  const groups: [string, Aspect[]][] = [["URLs", aspects.urls], ["Responses", aspects.responses], ["Findings", aspects.themes]];
  return (
    <>
      <nav className="rail" aria-label="Aspects">
        {groups.map(([title, list]) => (
          <div key={title}>
            <h2>{title}</h2>
            {list.map((aspect) => (
              <a
                key={aspect.id}
                href={at(view(location.pathname.split("/").slice(-2).join("/"), { tab: aspect.id }))}
                aria-current={aspect.id === current ? "true" : undefined}
                onClick={(event) => {
                  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                  event.preventDefault();
                  onChoose(aspect.id);
                }}
              >
                {aspect.icon ? <Icon name={aspect.icon} small /> : aspect.mark ? <span className="noicon"><Mark name={aspect.mark} /></span> : aspect.priority ? <Priority of={aspect.priority} /> : <span className="noicon" />}
                <span className="ell">{aspect.name}</span>
                <span className="n">{aspect.count === null ? <span title="Not checked">–</span> : count(aspect.count)}</span>
              </a>
            ))}
          </div>
        ))}
      </nav>
      <div className="railpicker">
        <select className="select" aria-label="Aspect" value={current} onChange={(event) => onChoose(event.target.value)}>
          {groups.map(([title, list]) => (
            <optgroup key={title} label={title}>
              {list.map((aspect) => (
                <option key={aspect.id} value={aspect.id}>
                  {aspect.name} {aspect.count === null ? "–" : count(aspect.count)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        {children}
      </div>
    </>
  );
}
