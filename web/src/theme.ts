// Dark and light follow the system unless the user chooses one.
const STORED = "bluesnake.theme";

export type Theme = "system" | "light" | "dark";

export function theme(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function isDark(): boolean {
  const chosen = theme();
  return chosen === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
}

export function applyTheme(chosen: Theme = theme()): void {
  if (chosen === "system") {
    localStorage.removeItem(STORED);
    delete document.documentElement.dataset["theme"];
  } else {
    localStorage.setItem(STORED, chosen);
    document.documentElement.dataset["theme"] = chosen;
  }
  dispatchEvent(new Event("bluesnake-theme"));
}
