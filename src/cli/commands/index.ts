// All commands: one file each, or one for commands with the same first word, in folders by what they are for. A command
// is declared with `defineCommand`; `project/create-api.ts` is a typical one that writes, `version.ts` the shortest.

import type { CommandDefinition, CommandEntry } from "../arguments/command.ts";

/**
 * All commands, in the order of the help: name, summary, and file. To add one, add a file to the folder of its subject
 * and a line here. A file has the name of its command, or of the first words that several commands have in common; it
 * exports a command by its name, such as `createApi` for `create api`.
 */
const listed: readonly (readonly [name: string, summary: string, load: () => Promise<object>])[] = [
  ["init", "Initialize a project in this folder", () => import("./project/init.ts")],
  [
    "create api",
    "Scaffold a Kubernetes API: types, CRD manifests and a controller",
    () => import("./project/create-api.ts"),
  ],
  [
    "create webhook",
    "Scaffold webhooks for an API: defaulting, validation, conversion",
    () => import("./project/create-webhook.ts"),
  ],
  [
    "edit",
    "Edit the project: layout, scope, license, deployment features",
    () => import("./project/edit.ts"),
  ],
  ["delete api", "Delete what create api scaffolded", () => import("./project/delete.ts")],
  ["delete webhook", "Delete what create webhook scaffolded", () => import("./project/delete.ts")],
  [
    "upgrade",
    "Upgrade the project to the running version of tsbuilder",
    () => import("./project/upgrade.ts"),
  ],
  [
    "plugins",
    "List the plugins of the project, and those that are installed",
    () => import("./project/plugins.ts"),
  ],
  ["plugins allow", "Allow the code of plugins to run", () => import("./project/plugins.ts")],
  [
    "pin-images",
    "Pin the base images of the Dockerfile to the digests of their tags",
    () => import("./ship/pin-images.ts"),
  ],
  [
    "scaffold",
    "Scaffold the project described by PROJECT into another folder",
    () => import("./project/scaffold.ts"),
  ],
  [
    "manifests",
    "Generate CRD, RBAC and webhook manifests from types and markers",
    () => import("./generate/manifests.ts"),
  ],
  [
    "generate",
    "Run all generators: manifests, and the API reference if there is one",
    () => import("./generate/generate.ts"),
  ],
  [
    "generate docs",
    "Generate an API reference in Markdown from types and markers",
    () => import("./generate/generate.ts"),
  ],
  [
    "generate types",
    "Generate TypeScript types from third-party CRDs",
    () => import("./generate/generate.ts"),
  ],
  [
    "generate schemapatch",
    "Patch the schemas of CRD manifests that are maintained by hand",
    () => import("./generate/generate.ts"),
  ],
  [
    "dev",
    "Run the operator on an embedded cluster and restart it on every edit",
    () => import("./develop/dev.ts"),
  ],
  ["replay", "Show what a session of dev recorded", () => import("./develop/replay.ts")],
  ["run", "Run the operator on this machine against an existing cluster", () => import("./develop/run.ts")],
  [
    "test",
    "Run the project's tests on the embedded cluster or a real API server",
    () => import("./develop/test.ts"),
  ],
  [
    "envtest install",
    "Download kube-apiserver, etcd and kubectl for tests on a real API server",
    () => import("./develop/envtest-install.ts"),
  ],
  [
    "cluster start",
    "Start an embedded cluster and run it until interrupted",
    () => import("./develop/cluster-start.ts"),
  ],
  ["build", "Bundle the operator, or build its image", () => import("./ship/build.ts")],
  ["push", "Push the operator's image", () => import("./ship/push.ts")],
  [
    "load",
    "Load the operator's image into a local cluster without a registry",
    () => import("./ship/load.ts"),
  ],
  ["install", "Install the CRDs into a cluster", () => import("./ship/install.ts")],
  ["uninstall", "Uninstall the CRDs from a cluster", () => import("./ship/uninstall.ts")],
  ["deploy", "Deploy the operator to a cluster", () => import("./ship/deploy.ts")],
  ["undeploy", "Undeploy the operator from a cluster", () => import("./ship/undeploy.ts")],
  ["installer", "Generate a single manifest that installs the operator", () => import("./ship/installer.ts")],
  ["bundle", "Generate a bundle for the Operator Lifecycle Manager", () => import("./olm/bundle.ts")],
  ["bundle build", "Build the bundle's image", () => import("./olm/bundle.ts")],
  ["bundle push", "Push the bundle's image", () => import("./olm/bundle.ts")],
  ["chart", "Generate a Helm chart for the operator", () => import("./ship/chart.ts")],
  ["bundle validate", "Validate an OLM bundle", () => import("./olm/bundle-validate.ts")],
  ["run bundle", "Have OLM install a bundle", () => import("./olm/run-bundle.ts")],
  ["run bundle-upgrade", "Have OLM upgrade what run bundle installed", () => import("./olm/run-bundle.ts")],
  ["cleanup", "Delete an operator that run bundle installed", () => import("./olm/cleanup.ts")],
  ["scorecard", "Run the tests of a bundle's scorecard", () => import("./olm/scorecard.ts")],
  ["catalog init", "Create a file-based OLM catalog with a package", () => import("./olm/catalog.ts")],
  ["catalog add", "Add a bundle to a file-based OLM catalog", () => import("./olm/catalog.ts")],
  ["catalog validate", "Validate a file-based OLM catalog", () => import("./olm/catalog.ts")],
  ["catalog build", "Build the image of a file-based OLM catalog", () => import("./olm/catalog.ts")],
  [
    "catalog show",
    "Print manifests that install a package from the catalog's image",
    () => import("./olm/catalog.ts"),
  ],
  [
    "migrate packagemanifests",
    "Convert package manifests of OLM to bundles",
    () => import("./olm/migrate-packagemanifests.ts"),
  ],
  ["doctor", "Check this machine and this project for problems", () => import("./doctor.ts")],
  ["explain", "Explain an error code", () => import("./explain.ts")],
  [
    "mcp",
    "Serve tsbuilder's commands to an AI agent, over the Model Context Protocol",
    () => import("./mcp.ts"),
  ],
  ["completion", "Print the shell completion script", () => import("./completion.ts")],
  ["version", "Print the version of tsbuilder and its environment", () => import("./version.ts")],
];

export const commands: readonly CommandEntry[] = listed.map(([name, summary, load]) => ({
  name,
  summary,
  load: async () => {
    const exported = name.replaceAll(/[ -](\w)/gu, (_, letter: string) => letter.toUpperCase());
    const definitions = (await load()) as Readonly<Record<string, CommandDefinition>>;
    return { ...definitions[exported]!, summary };
  },
}));

/** Finds the command with the longest name that the words begin with. */
export function findCommand(words: readonly string[]): CommandEntry | undefined {
  return commands
    .filter(({ name }) => name.split(" ").every((word, i) => words[i] === word))
    .sort((a, b) => b.name.length - a.name.length)[0];
}
