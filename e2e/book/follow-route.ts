import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initProject, shareInstall } from "../support/projects/init-project.ts";
import type { Shell } from "../support/shell.ts";
import { repository } from "../support/source-imports.ts";
import { followSteps } from "./follow-steps.ts";
import { installsTsbuilder } from "./read-steps.ts";
import { type MovingShell, typeIn } from "./type-in.ts";
import { type Route, stepsOf } from "./written-routes.ts";

/** Does what the pages say, as a reader who has installed tsbuilder; returns the shell in which that ends. */
export async function followRoute(route: Route, parent: string): Promise<Shell> {
  const shell = await beginRoute(route, parent);
  await followSteps(stepsOf(route), shell, async (command) => {
    // No registry may be asked for it.
    if (installsTsbuilder(command)) return undefined;
    const printed = await typeIn(shell, command, parent);
    // Dependencies come from the install that all journeys share.
    if (existsSync(join(shell.folder, "vendor")) && !existsSync(join(shell.folder, "node_modules")))
      await shareInstall(shell);
    return printed;
  });
  return shell;
}

async function beginRoute(route: Route, parent: string): Promise<MovingShell> {
  const bin = join(parent, "bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "tsbuilder"),
    `#!/bin/sh\n[ "$1" = init ] && set -- "$@" --skip-install\nexec node "${repository}/bin/tsbuilder.js" "$@"\n`,
  );
  chmodSync(join(bin, "tsbuilder"), 0o755);
  const folder = join(parent, route.follow === "empty" ? "reader" : route.follow);
  const shell = { folder, env: { PATH: `${bin}:${process.env["PATH"]}` } };
  if (route.follow === "empty") mkdirSync(folder);
  else {
    const installed = { ...shell, folder: join(parent, "installed") };
    mkdirSync(installed.folder);
    await initProject(installed);
    cpSync(join(repository, "e2e/golden", route.follow), folder, { recursive: true });
    symlinkSync(join(installed.folder, "node_modules"), join(folder, "node_modules"));
  }
  return shell;
}
