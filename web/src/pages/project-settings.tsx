// The settings saved for a project, in the drawer.
import { useQuery } from "@tanstack/react-query";
import { api, ask, queries, type Job } from "../api/client";
import { toast } from "../parts/toast";
import { SettingsDrawer } from "../settings/drawer";
import { flat, nested, type Values } from "../settings/schema";

/** Settings saved for the project: `null` restores a default. */
export function ProjectSettings({ url, job, onClose }: { url: string; job: Job; onClose: () => void }) {
  const config = useQuery({ queryKey: ["config", url, job], gcTime: 0, staleTime: 0, queryFn: ({ signal }) => ask(api.GET("/api/v1/config", { params: { query: { url, job } }, signal })) });
  if (!config.data) return null;
  const saved = flat(config.data.settings);
  const save = async (values: Values) => {
    const removed = Object.fromEntries(Object.keys(saved).filter((path) => !(path in values)).map((path) => [path, null]));
    await ask(api.PUT("/api/v1/config", { body: { url, settings: nested({ ...values, ...removed }) } as never }));
    await queries.invalidateQueries({ queryKey: ["config"] });
    toast("Saved the settings");
  };
  return <SettingsDrawer job={job} note={`Saved for ${config.data.domain} and used by every later run. Existing runs keep the settings they were started with.`} initial={saved} onSave={save} onClose={onClose} />;
}
