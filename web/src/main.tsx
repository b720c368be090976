import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { queries } from "./api/client";
import { App } from "./app";
import { applyTheme } from "./theme";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/home.css";
import "./styles/grid.css";
import "./styles/audit.css";
import "./styles/pages.css";
import "./styles/reader.css";
import "./styles/settings.css";

applyTheme();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>,
  );
}
