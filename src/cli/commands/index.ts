// All commands, in folders by subject. To add one, add a file that exports it by its name, such as `createApi` for
// `create api`, and a line to both tables below. A command is declared with `defineCommand`; `project/create-api.ts` is a
// typical one that writes, `version.ts` the shortest.

import type { CommandDefinition, CommandEntry } from "../arguments/command.ts";

/** The files of the commands, named after a command or after the first words that several commands have in common. */
const files = {
  init: () => import("./project/init.ts"),
  import: () => import("./project/import.ts"),
  createApi: () => import("./project/create-api.ts"),
  createWebhook: () => import("./project/create-webhook.ts"),
  edit: () => import("./project/edit.ts"),
  delete: () => import("./project/delete.ts"),
  upgrade: () => import("./project/upgrade.ts"),
  eject: () => import("./project/eject.ts"),
  plugins: () => import("./project/plugins.ts"),
  pinImages: () => import("./ship/pin-images.ts"),
  scaffold: () => import("./project/scaffold.ts"),
  manifests: () => import("./generate/manifests.ts"),
  generate: () => import("./generate/generate.ts"),
  apiCheck: () => import("./generate/api-check.ts"),
  dev: () => import("./develop/dev.ts"),
  replay: () => import("./develop/replay.ts"),
  why: () => import("./develop/why.ts"),
  record: () => import("./develop/record.ts"),
  run: () => import("./develop/run.ts"),
  test: () => import("./develop/test.ts"),
  explore: () => import("./develop/explore.ts"),
  envtestUse: () => import("./develop/envtest-use.ts"),
  envtestInstall: () => import("./develop/envtest-install.ts"),
  clusterStart: () => import("./develop/cluster-start.ts"),
  build: () => import("./ship/build.ts"),
  push: () => import("./ship/push.ts"),
  load: () => import("./ship/load.ts"),
  install: () => import("./ship/install.ts"),
  uninstall: () => import("./ship/uninstall.ts"),
  deploy: () => import("./ship/deploy.ts"),
  undeploy: () => import("./ship/undeploy.ts"),
  migrateStorage: () => import("./ship/migrate-storage.ts"),
  installer: () => import("./ship/installer.ts"),
  bundle: () => import("./olm/bundle.ts"),
  chart: () => import("./ship/chart.ts"),
  bundleValidate: () => import("./olm/bundle-validate.ts"),
  runBundle: () => import("./olm/run-bundle.ts"),
  cleanup: () => import("./olm/cleanup.ts"),
  scorecard: () => import("./olm/scorecard.ts"),
  catalog: () => import("./olm/catalog.ts"),
  migratePackagemanifests: () => import("./olm/migrate-packagemanifests.ts"),
  doctor: () => import("./doctor.ts"),
  explain: () => import("./explain.ts"),
  mcp: () => import("./mcp.ts"),
  completion: () => import("./completion.ts"),
  version: () => import("./version.ts"),
};

/** All commands, in the order of the help, each with its summary and its file. */
const listed: readonly (readonly [name: string, summary: string, file: keyof typeof files])[] = [
  ["init", "Initialize a project in this folder", "init"],
  ["import", "Make a project of a kubebuilder project in Go", "import"],
  ["create api", "Scaffold a Kubernetes API: types, CRD manifests and a controller", "createApi"],
  ["create webhook", "Scaffold webhooks for an API: defaulting, validation, conversion", "createWebhook"],
  ["edit", "Edit the project: layout, scope, license, deployment features", "edit"],
  ["delete api", "Delete what create api scaffolded", "delete"],
  ["delete webhook", "Delete what create webhook scaffolded", "delete"],
  ["upgrade", "Upgrade the project to the running version of tsbuilder", "upgrade"],
  ["eject", "Have the project build and generate without tsbuilder", "eject"],
  ["plugins", "List the plugins of the project, and those that are installed", "plugins"],
  ["plugins allow", "Allow the code of plugins to run", "plugins"],
  ["pin-images", "Pin the base images of the Dockerfile to the digests of their tags", "pinImages"],
  ["scaffold", "Scaffold the project described by PROJECT into another folder", "scaffold"],
  ["manifests", "Generate CRD, RBAC and webhook manifests from types and markers", "manifests"],
  ["generate", "Run all generators: manifests, and the API reference if there is one", "generate"],
  ["generate docs", "Generate an API reference in Markdown from types and markers", "generate"],
  ["generate types", "Generate TypeScript types from third-party CRDs", "generate"],
  ["generate schemapatch", "Patch the schemas of CRD manifests that are maintained by hand", "generate"],
  ["api check", "Find changes of the API that break stored objects, clients or appliers", "apiCheck"],
  ["dev", "Run the operator on an embedded cluster and restart it on every edit", "dev"],
  ["replay", "Show what a session of dev recorded", "replay"],
  ["why", "Explain why an object of a cluster stands as it does", "why"],
  ["record", "Write what a deployed operator recorded in the last minutes to a file", "record"],
  ["run", "Run the operator on this machine against an existing cluster", "run"],
  ["test", "Run the project's tests on the embedded cluster or a real API server", "test"],
  [
    "explore",
    "Look for mistakes of an operator in any language when processes die and requests fail",
    "explore",
  ],
  ["envtest use", "Run envtest suites of any language on the embedded cluster", "envtestUse"],
  [
    "envtest install",
    "Download kube-apiserver, etcd and kubectl for tests on a real API server",
    "envtestInstall",
  ],
  ["cluster start", "Start an embedded cluster and run it until interrupted", "clusterStart"],
  ["build", "Bundle the operator, or build its image", "build"],
  ["push", "Push the operator's image", "push"],
  ["load", "Load the operator's image into a local cluster without a registry", "load"],
  ["install", "Install the CRDs into a cluster", "install"],
  ["uninstall", "Uninstall the CRDs from a cluster", "uninstall"],
  ["deploy", "Deploy the operator to a cluster", "deploy"],
  ["undeploy", "Undeploy the operator from a cluster", "undeploy"],
  ["migrate storage", "Store objects in the storage version of their CRD", "migrateStorage"],
  ["installer", "Generate a single manifest that installs the operator", "installer"],
  ["bundle", "Generate a bundle for the Operator Lifecycle Manager", "bundle"],
  ["bundle build", "Build the bundle's image", "bundle"],
  ["bundle push", "Push the bundle's image", "bundle"],
  ["chart", "Generate a Helm chart for the operator", "chart"],
  ["bundle validate", "Validate an OLM bundle", "bundleValidate"],
  ["run bundle", "Have OLM install a bundle", "runBundle"],
  ["run bundle-upgrade", "Have OLM upgrade what run bundle installed", "runBundle"],
  ["cleanup", "Delete an operator that run bundle installed", "cleanup"],
  ["scorecard", "Run the tests of a bundle's scorecard", "scorecard"],
  ["catalog init", "Create a file-based OLM catalog with a package", "catalog"],
  ["catalog add", "Add a bundle to a file-based OLM catalog", "catalog"],
  ["catalog validate", "Validate a file-based OLM catalog", "catalog"],
  ["catalog build", "Build the image of a file-based OLM catalog", "catalog"],
  ["catalog show", "Print manifests that install a package from the catalog's image", "catalog"],
  ["migrate packagemanifests", "Convert package manifests of OLM to bundles", "migratePackagemanifests"],
  ["doctor", "Check this machine and this project for problems", "doctor"],
  ["explain", "Explain an error code", "explain"],
  ["mcp", "Serve tsbuilder's commands to an AI agent, over the Model Context Protocol", "mcp"],
  ["completion", "Print the shell completion script", "completion"],
  ["version", "Print the version of tsbuilder and its environment", "version"],
];

export const commands: readonly CommandEntry[] = listed.map(([name, summary, file]) => ({
  name,
  summary,
  load: async () => {
    const exported = name.replaceAll(/[ -](\w)/gu, (_, letter: string) => letter.toUpperCase());
    const definitions: Readonly<Record<string, unknown>> = await files[file]();
    return { ...(definitions[exported] as CommandDefinition), summary };
  },
}));

/** Finds the command with the longest name that the words begin with. */
export function findCommand(words: readonly string[]): CommandEntry | undefined {
  return commands
    .filter(({ name }) => name.split(" ").every((word, i) => words[i] === word))
    .sort((a, b) => b.name.length - a.name.length)[0];
}
