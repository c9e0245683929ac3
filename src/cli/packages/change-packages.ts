import { existsSync } from "node:fs";
import { join } from "node:path";
import { packagesOf } from "../../plugins/typescript/reference-templates.ts";
import { packageManagerOf, workspaceOf } from "../../project/package-manager.ts";
import type { Project } from "../../project/project.ts";
import type { Draft } from "../../scaffold/tree.ts";
import type { OpenProject } from "../project/open-project.ts";
import type { Ui } from "../reporting/report.ts";
import type { Host } from "./host.ts";
import { installDependencies } from "./install-dependencies.ts";
import { explainLock, replaceLock } from "./lock-file.ts";

/** Returns what is to be generated after a change: the lock file, and then what other generators make. */
export function withPackages(
  opened: OpenProject,
  after: Project,
  host: Host,
  generate: Generate | undefined,
): Generate {
  return async (draft) => [
    ...(await planPackages(opened, after, draft, host)),
    ...((await generate?.(draft)) ?? []),
  ];
}

type Generate = (draft: Draft) => Promise<string[]>;

/**
 * Has the lock file follow `package.json` if a kind's template or a feature brings packages, or takes them away. Returns a note if only the
 * package manager can, since the lock file has packages of the user's own.
 */
async function planPackages(opened: OpenProject, after: Project, draft: Draft, host: Host) {
  const before = opened.project;
  if (JSON.stringify(packagesOf(before)) === JSON.stringify(packagesOf(after))) return [];
  const { planFresh, textsOf } = await import("../upgrade/plan-upgrade.ts");
  const vendor = await host.vendorPackages();
  const [base, next] = await Promise.all(
    [before, after].map(async (project) =>
      textsOf(await planFresh(opened, project, vendor, { plugins: "replay" })),
    ),
  );
  const manager = packageManagerOf(opened.root);
  return replaceLock(draft, base!, next!, manager)
    ? []
    : explainLock(draft, manager, workspaceOf(opened.root));
}

/** Installs the packages that a change of a project brought, unless the user has yet to install those of every project. */
export function installPackages(
  root: string,
  { before, after }: { readonly before: Project; readonly after: Project },
  ui: Pick<Ui, "note">,
): void {
  const modules = join(root, "node_modules");
  const former = packagesOf(before);
  const lacks = Object.keys(packagesOf(after)).some(
    (name) => !(name in former) && !existsSync(join(modules, name)),
  );
  if (existsSync(modules) && lacks) installDependencies(root, ui);
}
