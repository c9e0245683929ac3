import { existsSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pluralize } from "@tsbuilder/apimachinery/naming";
import { referenceTemplates } from "../../../plugins/typescript/reference-templates.ts";
import { addResource } from "../../../project/change-project.ts";
import { type LicenseName, type Project, formatBoilerplate, newResource } from "../../../project/project.ts";
import type { PackageManager } from "../../../project/package-manager.ts";
import {
  npm,
  packageManagerOf,
  packageManagers,
  placeInRepository,
} from "../../../project/package-manager.ts";
import { projectFile } from "../../../project/store.ts";
import { checkDomain, checkProjectName } from "../../../project/validate.ts";
import { type Plan, type Tree, diskTree } from "../../../scaffold/tree.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { listWords } from "../../../shared/text.ts";
import { chooseTemplate } from "./create-api.ts";
import { withProjectLock } from "../../project/lock-project.ts";
import { applyOrShow, planFlags, recoverProject } from "../../project/open-project.ts";
import { defineCommand, type FlagValues, type Invocation, flag } from "../../arguments/command.ts";
import { installDependencies } from "../../packages/install-dependencies.ts";
import { scaffoldLock } from "../../packages/lock-file.ts";
import { generatorsIf } from "../../project/plan-generated.ts";
import { planProjectChange } from "../../../plugins/plan-project.ts";
import { pluginsFlag } from "../../project/find-resource.ts";
import { readLicenseFile } from "../../arguments/flag-values.ts";

const flags = {
  domain: flag.string("domain suffix of the API groups", "DOMAIN", {
    required: true,
    prompt: "Domain of your API groups:",
    check: checkDomain,
  }),
  "project-name": flag.string(
    "project name, and prefix of its objects (default: the name of this folder)",
    "NAME",
    { check: checkProjectName },
  ),
  owner: flag.string("copyright owner", "NAME", { default: "" }),
  license: {
    type: "string",
    summary: "license for the header of source files",
    choices: ["apache2", "copyright", "none"],
    default: "apache2",
  },
  "license-file": flag.string(
    "file with the header for source files, as a block comment; replaces --license",
    "FILE",
  ),
  multigroup: flag.switch("use a folder for each API group"),
  namespaced: flag.switch("watch one namespace only, with a Role instead of a ClusterRole"),
  template: flag.string("scaffold a complete operator with its kind", "NAME", {
    choices: referenceTemplates.filter(({ kind }) => kind !== undefined).map(({ name }) => name),
  }),
  "package-manager": flag.string(
    "what installs the packages (default: that of the lock file in this folder, or npm)",
    "NAME",
    { choices: packageManagers.map(({ name }) => name) },
  ),
  plugins: pluginsFlag,
  "skip-install": flag.switch("do not install the packages"),
  force: flag.switch("overwrite existing files"),
  ...planFlags,
} as const;

export const init = defineCommand({
  flags,
  ignored: {
    repo: "imports are relative, so a project has no module path; its name is --project-name",
  },
  refused: {
    "fetch-deps": "use --skip-install to install nothing",
    "skip-go-version-check": "omit it: there is no Go; tsbuilder doctor checks Node",
    "project-version": "omit it: version 3 is the only version of the PROJECT file",
  },
  examples: [
    "tsbuilder init --domain example.com",
    "tsbuilder init --domain example.com --project-name mysql-operator --owner 'The MySQL authors'",
  ],
  async run(call) {
    const { flags, cwd, ui } = call;
    if (!(await writeProject(call))) return;
    if (!flags["skip-install"]) installDependencies(cwd, ui, { locked: true });
    ui.print(
      flags.template === undefined
        ? "\nNext: define a kind with\n  tsbuilder create api --group apps --version v1 --kind MySQL"
        : "\nNext: try it with\n  npm test\n  npm run dev",
    );
  },
});

type Call = Pick<Invocation, "name" | "cwd" | "ui" | "host" | "plugins"> & {
  readonly flags: FlagValues<typeof flags>;
};

/** Writes the project, or shows what it would write. Returns whether it was written. */
async function writeProject(call: Call): Promise<boolean> {
  const { name, cwd, ui, flags } = call;
  if (flags["dry-run"] || flags.diff) {
    refuseInitialized(cwd);
    return applyOrShow(cwd, await planProject(call), flags, ui);
  }
  return withProjectLock(cwd, { name, note: (text) => ui.note(text) }, async () => {
    recoverProject(cwd, ui);
    refuseInitialized(cwd);
    return applyOrShow(cwd, await planProject(call), flags, ui);
  });
}

function refuseInitialized(cwd: string): void {
  if (!existsSync(join(cwd, projectFile))) return;
  throw new TsbuilderError(`"${cwd}" already contains a project: "${projectFile}" exists`, {
    code: "ALREADY_INITIALIZED",
    hint: "add a kind with tsbuilder create api, or change the project with tsbuilder edit",
  });
}

async function planProject({ flags, cwd, ui, host, plugins }: Call): Promise<Plan> {
  const license: LicenseName = flags["license-file"] === undefined ? (flags.license as LicenseName) : "file";
  const project: Project = {
    domain: flags.domain,
    projectName: flags["project-name"] ?? nameOfFolder(cwd),
    multigroup: flags.multigroup,
    namespaced: flags.namespaced,
    namespaces: [],
    license,
    owner: flags.owner,
    features: ["metrics"],
    resources: [],
    plugins: [],
    cliVersion: host.version(),
  };
  const after = flags.template === undefined ? project : withReference(project, flags.template);
  const vendor = await host.vendorPackages();
  const requestedManager = packageManagers.find(({ name }) => name === flags["package-manager"]);
  const manager = requestedManager ?? packageManagerOf(cwd);
  const locks = scaffoldLock(cwd, after, vendor, manager);
  if (requestedManager && requestedManager !== npm && vendor.lock?.(manager.name, "") === undefined)
    refuseManager(manager);
  const boilerplate =
    flags["license-file"] === undefined
      ? formatBoilerplate(project)
      : readLicenseFile(resolve(cwd, flags["license-file"]));
  const recorded = await plugins?.record(after);
  const tree = diskTree(cwd);
  if (!flags.force) refuseOtherLock(tree, locks);
  const plan = await planProjectChange({
    folder: cwd,
    tree,
    before: undefined,
    after: recorded?.project ?? after,
    pluginCall: recorded?.call,
    boilerplate,
    packages: vendor.packages,
    manager,
    place: placeInRepository(cwd),
    extraFiles: new Map<string, string | Uint8Array>([...vendor.files, ...locks]),
    force: flags.force,
    generate: generatorsIf(flags.template !== undefined),
  });
  if (!flags.diff) noteFiles(cwd, plan, (text) => ui.note(text));
  return plan;
}

/** Returns the project's name for a folder: the folder's, in lower case. Throws if that is not a valid name. */
function nameOfFolder(cwd: string): string {
  const name = basename(cwd).toLowerCase();
  try {
    return checkProjectName(name);
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    throw new TsbuilderError(`the project name defaults to the folder's name, and ${error.message}`, {
      code: "INVALID_NAME",
      hint: error.hint,
    });
  }
}

/** Adds the kind of a reference operator to the project, as `create api --template` would. */
function withReference(project: Project, name: string): Project {
  const { group, version, kind = "" } = referenceTemplates.find((known) => known.name === name)!;
  const resource = newResource({
    group,
    domain: project.domain,
    version,
    kind,
    plural: pluralize(kind.toLowerCase()),
    template: chooseTemplate({ template: name }),
  });
  return addResource(project, { resource, withResource: true, withController: true });
}

/** Throws for a manager that does not resolve a dependency of a tarball in `vendor/` to another tarball there. */
function refuseManager({ name }: PackageManager): never {
  throw new TsbuilderError(
    `${name} can't install tsbuilder's own packages, which this build puts into "vendor/"`,
    {
      code: "REFUSED",
      hint: "omit --package-manager: npm can; those of a released tsbuilder come from a registry",
    },
  );
}

/** Refuses to overwrite a lock file in a folder without a project: only the user knows its purpose. */
function refuseOtherLock(tree: Tree, locks: ReadonlyMap<string, string>): void {
  for (const [path, text] of locks) {
    // Users create an empty lock file to tell Yarn that the folder is a project of its own.
    if (["", text].includes(tree.read(path)?.trimStart() ?? "")) continue;
    throw new TsbuilderError(`"${path}" already exists`, {
      code: "ALREADY_EXISTS",
      hint: "move it to another place, or add --force to overwrite it",
    });
  }
}

/** Notes which existing files are kept and which `--force` overwrites. */
function noteFiles(cwd: string, { changes }: Plan, note: (text: string) => void): void {
  if (!readdirSync(cwd).some((name) => name !== ".git" && name !== ".tsbuilder")) return;
  const overwritten = changes.filter(({ action }) => action === "update").map(({ path }) => `"${path}"`);
  const others = overwritten.length === 0 ? "existing files" : "other files";
  const losses = overwritten.length === 0 ? "" : `--force overwrites ${listWords(overwritten, "and")}; `;
  note(`"${cwd}" is not empty: ${losses}${others} are kept.`);
}
