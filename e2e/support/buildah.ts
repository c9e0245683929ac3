import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tryRun } from "./shell.ts";

/** The environment in which buildah stores its images below a folder, or why it can't. */
export type Buildah = { readonly env: Readonly<Record<string, string>> } | { readonly missing: string };

/** Finds the first storage driver that works on this machine. */
export async function prepareBuildah(folder: string): Promise<Buildah> {
  if (process.platform !== "linux") return { missing: "it needs Linux" };
  const file = join(folder, "storage.conf");
  const env = { CONTAINERS_STORAGE_CONF: file, BUILDAH_ISOLATION: "chroot" };
  for (const driver of ["overlay", "vfs"]) {
    const storage = {
      driver,
      runroot: join(folder, driver, "run"),
      graphroot: join(folder, driver, "graph"),
    };
    const lines = Object.entries(storage).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
    writeFileSync(file, `[storage]\n${lines.join("")}`);
    if ((await tryRun({ folder, env }, "buildah", "info")).exitCode === 0) return { env };
  }
  return { missing: "buildah is not on this machine, or can't keep images here" };
}

/** Removes buildah's storage: its containers have mounts below the folder. */
export async function clearBuildah(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  await tryRun({ folder, env }, "buildah", "rm", "--all");
  await tryRun({ folder, env }, "buildah", "rmi", "--all", "--force");
}
