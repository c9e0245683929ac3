import { existsSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pluralize } from "@tsbuilder/apimachinery/naming";
import { referenceTemplates } from "../../plugins/typescript/reference-templates.ts";
import { addResource } from "../../project/add-resource.ts";
import { formatBoilerplate } from "../../project/boilerplate.ts";
import { type LicenseName, newResource, type Project } from "../../project/project.ts";
import { PROJECT_FILE } from "../../project/store.ts";
import { checkDomain, checkProjectName } from "../../project/validate.ts";
import type { Plan } from "../../scaffold/file-change.ts";
import { diskTree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { chooseTemplate } from "../choose-template.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand, type FlagValues, type Invocation } from "../command.ts";
import { installDependencies } from "../install-dependencies.ts";
import { withProjectLock } from "../lock-project.ts";
import { recoverProject } from "../open-project.ts";
import { planProjectChange } from "../plan-project.ts";
import { readLicenseFile } from "../read-license-file.ts";

const flags = {
  domain: {
    type: "string",
    summary: "the domain that API groups end with",
    placeholder: "DOMAIN",
    required: true,
    prompt: "Domain of your API groups:",
    check: checkDomain,
  },
  "project-name": {
    type: "string",
    summary: "name of the project and prefix of its objects (default: the folder's name)",
    placeholder: "NAME",
    check: checkProjectName,
  },
  owner: { type: "string", summary: "who holds the copyright", placeholder: "NAME", default: "" },
  license: {
    type: "string",
    summary: "licence in the header of source files",
    choices: ["apache2", "copyright", "none"],
    default: "apache2",
  },
  "license-file": {
    type: "string",
    summary: "file with the header of source files, a block comment, in place of --license",
    placeholder: "FILE",
  },
  multigroup: { type: "boolean", summary: "give each API group folders of its own", default: false },
  namespaced: {
    type: "boolean",
    summary: "watch one namespace only, with a Role instead of a ClusterRole",
    default: false,
  },
  template: {
    type: "string",
    summary: "write a whole operator, kind and all",
    placeholder: "NAME",
    choices: referenceTemplates.filter(({ kind }) => kind !== undefined).map(({ name }) => name),
  },
  "skip-install": { type: "boolean", summary: "leave out npm install", default: false },
  force: { type: "boolean", summary: "replace files that are there already", default: false },
  ...planFlags,
} as const;

export const init = defineCommand({
  summary: "Start a project in this folder",
  flags,
  refused: {
    repo: "leave it out: imports are relative, so a project has no module path; --project-name is its name",
    "fetch-deps": "use --skip-install to leave out npm install",
    "skip-go-version-check": "leave it out: there is no Go; tsbuilder doctor checks Node",
    "project-version": "leave it out: there is one version of the PROJECT file, 3",
    plugins: "leave it out: TypeScript and kustomize are built in",
  },
  examples: [
    "tsbuilder init --domain example.com",
    "tsbuilder init --domain example.com --project-name mysql-operator --owner 'The MySQL authors'",
  ],
  async run(call) {
    const { flags, cwd, ui } = call;
    if (!(await start(call))) return;
    if (!flags["skip-install"]) installDependencies(cwd);
    ui.print(
      flags.template === undefined
        ? "\nNext: define a kind with\n  tsbuilder create api --group apps --version v1 --kind MySQL"
        : "\nNext: see it work with\n  npm test\n  npm run dev",
    );
  },
});

type Call = Pick<Invocation, "name" | "cwd" | "ui" | "host"> & { readonly flags: FlagValues<typeof flags> };

/** Writes the project, and tells whether it did. */
async function start(call: Call): Promise<boolean> {
  const { name, cwd, ui, flags } = call;
  if (flags["dry-run"] || flags.diff) {
    refuseInitialized(cwd);
    return carryOut(cwd, await planProject(call), flags, ui);
  }
  return withProjectLock(cwd, { name, note: (text) => ui.note(text) }, async () => {
    recoverProject(cwd, ui);
    refuseInitialized(cwd);
    return carryOut(cwd, await planProject(call), flags, ui);
  });
}

async function planProject({ flags, cwd, ui, host }: Call): Promise<Plan> {
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
    cliVersion: host.version(),
  };
  const after = flags.template === undefined ? project : withReference(project, flags.template);
  const { packages, files } = await host.vendorPackages();
  const boilerplate =
    flags["license-file"] === undefined
      ? formatBoilerplate(project)
      : readLicenseFile(resolve(cwd, flags["license-file"]));
  warnAboutFiles(cwd, (text) => ui.note(text));
  return planProjectChange({
    tree: diskTree(cwd),
    before: undefined,
    after,
    boilerplate,
    packages,
    extraFiles: files,
    force: flags.force,
    make: flags.template !== undefined,
  });
}

/** The project with the kind of a reference operator, as `create api --template` would add it. */
function withReference(project: Project, name: string): Project {
  const { group, version, kind = "" } = referenceTemplates.find((known) => known.name === name)!;
  const resource = newResource({
    group,
    domain: project.domain,
    version,
    kind,
    plural: pluralize(kind.toLowerCase()),
    template: chooseTemplate({
      template: name,
      image: undefined,
      "image-container-command": undefined,
      "image-container-port": undefined,
      "run-as-user": undefined,
    }),
  });
  const request = {
    resource,
    withResource: true,
    withController: true,
    controllerName: undefined,
    force: false,
  };
  return addResource(project, request);
}

function refuseInitialized(cwd: string): void {
  const file = [PROJECT_FILE].find((name) => existsSync(join(cwd, name)));
  if (file === undefined) return;
  throw new TsbuilderError(`"${cwd}" holds a project already: "${file}" is there`, {
    code: "ALREADY_INITIALIZED",
    hint: "go on with tsbuilder create api, or change the project with tsbuilder edit",
  });
}

function nameOfFolder(cwd: string): string {
  const name = basename(cwd).toLowerCase();
  try {
    return checkProjectName(name);
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    throw new TsbuilderError(`the folder's name is taken for the project's, and ${error.message}`, {
      code: "INVALID_NAME",
      hint: error.hint,
    });
  }
}

function warnAboutFiles(cwd: string, note: (text: string) => void): void {
  const files = readdirSync(cwd).filter((name) => name !== ".git" && name !== ".tsbuilder");
  if (files.length > 0) note(`"${cwd}" is not empty: files that are there are kept.`);
}
