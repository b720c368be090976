// Which page an address shows.
import { lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import { access } from "./api/client";
import { listen } from "./api/live";
import { Keys } from "./keys";
import { Empty, Skeleton } from "./parts/basics";
import { Toasts } from "./parts/toast";
import { Audit } from "./pages/audit";
import { Home } from "./pages/home";
import { Issues } from "./pages/issues";
import { Project } from "./pages/project";
import { Receipt } from "./pages/receipt";
import { Compare } from "./pages/compare";
import { Report } from "./pages/report";
import { SignIn } from "./pages/sign-in";
import { Link, usePath } from "./router";
import { Frame } from "./shell";

const Capture = lazy(() => import("./pages/capture"));
const Weave = lazy(() => import("./pages/weave"));

/** The first pattern that matches a path decides; `:n` is a number. */
function page(path: string) {
  const match = (pattern: string): number[] | null => {
    const found = new RegExp(`^${pattern.replace(/:n/g, "(\\d{1,15})")}$`).exec(path);
    return found ? found.slice(1).map(Number) : null;
  };
  let ids: number[] | null;
  if (path === "/") return <Home />;
  if ((ids = match("/p/:n"))) return <Project key={path} id={ids[0]!} />;
  if ((ids = match("/r/:n"))) return <Audit key={path} run={ids[0]!} />;
  if ((ids = match("/r/:n/issues"))) return <Issues key={path} run={ids[0]!} />;
  if ((ids = match("/r/:n/receipt"))) return <Receipt key={path} run={ids[0]!} />;
  if ((ids = match("/r/:n/report"))) return <Report key={path} run={ids[0]!} />;
  if ((ids = match("/r/:n/vs/:n"))) return <Compare key={path} after={ids[0]!} before={ids[1]!} />;
  if ((ids = match("/c/:n"))) return <Capture key={path} run={ids[0]!} />;
  if ((ids = match("/w/:n"))) return <Weave key={path} run={ids[0]!} />;
  return (
    <Frame title="Not found">
      <main className="scroll">
        <h1 className="vh">Not found</h1>
        <Empty icon="circle-question-mark" title="There is no such page">
          <p>
            The address <code>{path}</code> leads nowhere. <Link to="/">Go to the start page</Link>
          </p>
        </Empty>
      </main>
    </Frame>
  );
}

export function App() {
  const path = usePath();
  const isRefused = useSyncExternalStore(access.subscribe, access.isRefused);
  useEffect(() => {
    if (!isRefused) listen();
  }, [isRefused]);
  if (isRefused) return <SignIn />;
  return (
    <>
      <Suspense
        fallback={
          <Frame title="bluesnake">
            <Skeleton rows={12} />
          </Frame>
        }
      >
        {page(path)}
      </Suspense>
      <Keys />
      <Toasts />
    </>
  );
}
