import { npm, type PackageManager, yarn } from "../../project/package-manager.ts";
import { hasWebhooks, type Project } from "../../project/project.ts";
import type { Blueprint, Insert } from "../../scaffold/blueprint.ts";
import { emptyBlueprint, joinBlueprints, part } from "../../scaffold/blueprint.ts";
import type { TemplateContext } from "../../scaffold/compiled-templates.ts";
import { type PackageSpecifiers, partKeys, type ScaffoldInputs } from "../contract/plugin.ts";
import { fileHeader } from "./create-api.ts";

/** The lines that test in the whole deployment that the API server trusts the webhooks. */
const webhookTest: readonly Insert[] = [
  {
    file: "test/e2e/e2e.test.ts",
    marker: "imports",
    text: `import { untrustedWebhooks } from "./untrusted-webhooks.ts";`,
    isOptional: true,
  },
  {
    file: "test/e2e/e2e.test.ts",
    marker: "webhooks",
    text: `test.runIf(hasFeature("cert-manager") && hasFeature("webhook"))(
  "the API server trusts the webhooks",
  async () => {
    await expect.poll(untrustedWebhooks, { timeout: 60_000, interval: 2_000 }).toEqual([]);
  },
);`,
    isOptional: true,
  },
];

const passWithoutTests = `    // create api scaffolds the first test.
    passWithNoTests: true,
`;

/** Returns the parts of every project: its package, the tooling, and the entry point. */
export function init(
  project: Project,
  { boilerplate, packages, manager = npm, place }: ScaffoldInputs,
): Blueprint {
  const { projectName } = project;
  const header = fileHeader(boilerplate);
  const hasWebhookTest = project.resources.some(hasWebhooks);
  return joinBlueprints(
    required("typescript/package", "typescript/init/package", {
      projectName,
      runtimePackage: packages.runtime,
      clusterPackage: packages.cluster,
      simulationPackage: packages.simulation,
      tsbuilderPackage: packages.tsbuilder,
    }),
    required("typescript/main", "typescript/init/main", {
      header,
      projectName,
      leaderElectionId: leaderElectionId(project),
    }),
    part("typescript/vitest", "typescript/init/vitest", {
      withoutTests: hasTests(project) ? "" : passWithoutTests,
    }),
    part(partKeys.project, "typescript/init/project", {
      header,
      boilerplate,
      projectName,
      ...vendorWords(packages),
      ...managerWords(manager, place),
    }),
    hasWebhookTest
      ? { ...part(partKeys.e2eWebhooks, "typescript/create-webhook/e2e", { header }), inserts: webhookTest }
      : emptyBlueprint,
    isVendored(packages) ? part("typescript/vendored", "typescript/init/vendored", {}) : emptyBlueprint,
    manager === yarn ? part("typescript/yarn", "typescript/init/yarn", {}) : emptyBlueprint,
  );
}

/** Returns a part whose existing files are refused, because the project would not work with them. */
function required(key: string, templates: string, context: TemplateContext): Blueprint {
  return { ...emptyBlueprint, parts: [{ key, templates, context, ifExists: "refuse" }] };
}

/** Returns whether tsbuilder's packages come from `vendor/`, and not from a registry. */
const isVendored = ({ tsbuilder }: PackageSpecifiers): boolean => tsbuilder.startsWith("file:");

/** Words about `vendor/` for files of the project; empty without that folder. */
function vendorWords(packages: PackageSpecifiers): Record<string, string> {
  const words = {
    npmSettings: " .npmrc",
    copyVendored: "COPY vendor/ vendor/\n",
    keepVendored: "!vendor\n",
    skipVendored: '    "/vendor/",\n',
    andVendor: ", `vendor/`",
  };
  if (isVendored(packages)) return words;
  return Object.fromEntries(Object.keys(words).map((name) => [name, ""]));
}

/** Words about the package manager for files of the project, and about its place in a repository with more in it. */
function managerWords(manager: PackageManager, place: string | undefined): Record<string, string> {
  const [lockFile] = manager.lockFiles;
  return {
    lockFile,
    packageManager: manager.name,
    installLocked: manager.installLocked,
    installAnywhere: manager.installAnywhere,
    installInImage: manager.installInImage,
    copyYarn: manager === yarn ? " .yarnrc.yml" : "",
    keepYarn: manager === yarn ? "!.yarnrc.yml\n" : "",
    // setup-node looks for a lock file in the root only, and can cache for another package manager only after that is installed.
    cacheOfNpm: manager === npm && place === undefined ? "          cache: npm\n" : "",
    workingDirectory:
      place === undefined ? "" : `defaults:\n  run:\n    working-directory: ${JSON.stringify(place)}\n\n`,
    context: place === undefined ? "." : JSON.stringify(place),
    directory: place === undefined ? "/" : JSON.stringify(`/${place}`),
  };
}

/** Controllers and webhooks are scaffolded with a test. */
function hasTests({ resources }: Project): boolean {
  return resources.some((resource) => resource.controllers.length > 0 || hasWebhooks(resource));
}

/**
 * Returns the name of the leader election Lease: stable across builds of the operator, and different from that of other
 * operators in the same namespace. It begins with the FNV-1a hash of the project's name (32 bits).
 */
function leaderElectionId({ projectName, domain }: Project): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(projectName)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return `${hash.toString(16).padStart(8, "0")}.${domain}`;
}
