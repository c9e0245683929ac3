// All commands: one file each, or one for commands with the same first word, in folders by what they are for. A command
// is declared with `defineCommand`; `project/create-api.ts` is a typical one that writes, `version.ts` the shortest.

import type { CommandEntry } from "../arguments/command.ts";

/**
 * All commands, in the order of the help. To add one, add a file to the folder of its subject and an entry here. A file
 * has the name of its command, or of the first words that several commands have in common.
 */
export const commands: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "Initialize a project in this folder",
    load: async () => (await import("./project/init.ts")).init,
  },
  {
    name: "create api",
    summary: "Scaffold a Kubernetes API: types, CRD manifests and a controller",
    load: async () => (await import("./project/create-api.ts")).createApi,
  },
  {
    name: "create webhook",
    summary: "Scaffold webhooks for an API: defaulting, validation, conversion",
    load: async () => (await import("./project/create-webhook.ts")).createWebhook,
  },
  {
    name: "edit",
    summary: "Edit the project: layout, scope, license, deployment features",
    load: async () => (await import("./project/edit.ts")).edit,
  },
  {
    name: "delete api",
    summary: "Delete what create api scaffolded",
    load: async () => (await import("./project/delete.ts")).deleteApi,
  },
  {
    name: "delete webhook",
    summary: "Delete what create webhook scaffolded",
    load: async () => (await import("./project/delete.ts")).deleteWebhook,
  },
  {
    name: "upgrade",
    summary: "Upgrade the project to the running version of tsbuilder",
    load: async () => (await import("./project/upgrade.ts")).upgrade,
  },
  {
    name: "plugins",
    summary: "List the plugins of the project, and those that are installed",
    load: async () => (await import("./project/plugins.ts")).plugins,
  },
  {
    name: "plugins allow",
    summary: "Allow the code of plugins to run",
    load: async () => (await import("./project/plugins.ts")).pluginsAllow,
  },
  {
    name: "pin-images",
    summary: "Pin the base images of the Dockerfile to the digests of their tags",
    load: async () => (await import("./ship/pin-images.ts")).pinImages,
  },
  {
    name: "scaffold",
    summary: "Scaffold the project described by PROJECT into another folder",
    load: async () => (await import("./project/scaffold.ts")).scaffold,
  },
  {
    name: "manifests",
    summary: "Generate CRD, RBAC and webhook manifests from types and markers",
    load: async () => (await import("./generate/manifests.ts")).manifests,
  },
  {
    name: "generate",
    summary: "Run all generators: manifests, and the API reference if there is one",
    load: async () => (await import("./generate/generate.ts")).generate,
  },
  {
    name: "generate docs",
    summary: "Generate an API reference in Markdown from types and markers",
    load: async () => (await import("./generate/generate.ts")).generateDocs,
  },
  {
    name: "generate types",
    summary: "Generate TypeScript types from third-party CRDs",
    load: async () => (await import("./generate/generate.ts")).generateTypes,
  },
  {
    name: "generate schemapatch",
    summary: "Patch the schemas of CRD manifests that are maintained by hand",
    load: async () => (await import("./generate/generate.ts")).generateSchemapatch,
  },
  {
    name: "dev",
    summary: "Run the operator on an embedded cluster and restart it on every edit",
    load: async () => (await import("./develop/dev.ts")).dev,
  },
  {
    name: "replay",
    summary: "Show what a session of dev recorded",
    load: async () => (await import("./develop/replay.ts")).replay,
  },
  {
    name: "run",
    summary: "Run the operator on this machine against an existing cluster",
    load: async () => (await import("./develop/run.ts")).run,
  },
  {
    name: "test",
    summary: "Run the project's tests on the embedded cluster or a real API server",
    load: async () => (await import("./develop/test.ts")).test,
  },
  {
    name: "envtest install",
    summary: "Download kube-apiserver, etcd and kubectl for tests on a real API server",
    load: async () => (await import("./develop/envtest-install.ts")).envtestInstall,
  },
  {
    name: "cluster start",
    summary: "Start an embedded cluster and run it until interrupted",
    load: async () => (await import("./develop/cluster-start.ts")).clusterStart,
  },
  {
    name: "build",
    summary: "Bundle the operator, or build its image",
    load: async () => (await import("./ship/build.ts")).build,
  },
  {
    name: "push",
    summary: "Push the operator's image",
    load: async () => (await import("./ship/push.ts")).push,
  },
  {
    name: "load",
    summary: "Load the operator's image into a local cluster without a registry",
    load: async () => (await import("./ship/load.ts")).load,
  },
  {
    name: "install",
    summary: "Install the CRDs into a cluster",
    load: async () => (await import("./ship/install.ts")).install,
  },
  {
    name: "uninstall",
    summary: "Uninstall the CRDs from a cluster",
    load: async () => (await import("./ship/uninstall.ts")).uninstall,
  },
  {
    name: "deploy",
    summary: "Deploy the operator to a cluster",
    load: async () => (await import("./ship/deploy.ts")).deploy,
  },
  {
    name: "undeploy",
    summary: "Undeploy the operator from a cluster",
    load: async () => (await import("./ship/undeploy.ts")).undeploy,
  },
  {
    name: "installer",
    summary: "Generate a single manifest that installs the operator",
    load: async () => (await import("./ship/installer.ts")).installer,
  },
  {
    name: "bundle",
    summary: "Generate a bundle for the Operator Lifecycle Manager",
    load: async () => (await import("./olm/bundle.ts")).bundle,
  },
  {
    name: "bundle build",
    summary: "Build the bundle's image",
    load: async () => (await import("./olm/bundle.ts")).bundleBuild,
  },
  {
    name: "bundle push",
    summary: "Push the bundle's image",
    load: async () => (await import("./olm/bundle.ts")).bundlePush,
  },
  {
    name: "chart",
    summary: "Generate a Helm chart for the operator",
    load: async () => (await import("./ship/chart.ts")).chart,
  },
  {
    name: "bundle validate",
    summary: "Validate an OLM bundle",
    load: async () => (await import("./olm/bundle-validate.ts")).bundleValidate,
  },
  {
    name: "run bundle",
    summary: "Have OLM install a bundle",
    load: async () => (await import("./olm/run-bundle.ts")).runBundle,
  },
  {
    name: "run bundle-upgrade",
    summary: "Have OLM upgrade what run bundle installed",
    load: async () => (await import("./olm/run-bundle.ts")).runBundleUpgrade,
  },
  {
    name: "cleanup",
    summary: "Delete an operator that run bundle installed",
    load: async () => (await import("./olm/cleanup.ts")).cleanup,
  },
  {
    name: "scorecard",
    summary: "Run the tests of a bundle's scorecard",
    load: async () => (await import("./olm/scorecard.ts")).scorecard,
  },
  {
    name: "catalog init",
    summary: "Create a file-based OLM catalog with a package",
    load: async () => (await import("./olm/catalog.ts")).catalogInit,
  },
  {
    name: "catalog add",
    summary: "Add a bundle to a file-based OLM catalog",
    load: async () => (await import("./olm/catalog.ts")).catalogAdd,
  },
  {
    name: "catalog validate",
    summary: "Validate a file-based OLM catalog",
    load: async () => (await import("./olm/catalog.ts")).catalogValidate,
  },
  {
    name: "catalog build",
    summary: "Build the image of a file-based OLM catalog",
    load: async () => (await import("./olm/catalog-build.ts")).catalogBuild,
  },
  {
    name: "catalog show",
    summary: "Print manifests that install a package from the catalog's image",
    load: async () => (await import("./olm/catalog.ts")).catalogShow,
  },
  {
    name: "migrate packagemanifests",
    summary: "Convert package manifests of OLM to bundles",
    load: async () => (await import("./olm/migrate-packagemanifests.ts")).migratePackagemanifests,
  },
  {
    name: "doctor",
    summary: "Check this machine and this project for problems",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "explain",
    summary: "Explain an error code",
    load: async () => (await import("./explain.ts")).explain,
  },
  {
    name: "mcp",
    summary: "Serve tsbuilder's commands to an AI agent, over the Model Context Protocol",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  {
    name: "completion",
    summary: "Print the shell completion script",
    load: async () => (await import("./completion.ts")).completion,
  },
  {
    name: "version",
    summary: "Print the version of tsbuilder and its environment",
    load: async () => (await import("./version.ts")).version,
  },
];
