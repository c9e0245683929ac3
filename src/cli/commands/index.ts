import type { Command } from "../command.ts";

/** A command's name and how to load it. Its file is loaded only when it runs. */
export interface CommandEntry {
  /** `create api` */
  readonly name: string;
  /** The same as in the command's file, so that the overview loads no command. */
  readonly summary: string;
  // Commands differ in their flags; in this list they share one type.
  load(): Promise<Command<any>>; // oxlint-disable-line typescript/no-explicit-any
}

/** All commands, in the order of the help. To add one, add a file to this folder and an entry here. */
export const commands: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "Initialize a project in this folder",
    load: async () => (await import("./init.ts")).init,
  },
  {
    name: "create api",
    summary: "Scaffold a Kubernetes API: types, CRD manifests and a controller",
    load: async () => (await import("./create-api.ts")).createApi,
  },
  {
    name: "create webhook",
    summary: "Scaffold webhooks for an API: defaulting, validation, conversion",
    load: async () => (await import("./create-webhook.ts")).createWebhook,
  },
  {
    name: "edit",
    summary: "Edit the project: layout, scope, license, deployment features",
    load: async () => (await import("./edit.ts")).edit,
  },
  {
    name: "delete api",
    summary: "Delete what create api scaffolded",
    load: async () => (await import("./delete-api.ts")).deleteApi,
  },
  {
    name: "delete webhook",
    summary: "Delete what create webhook scaffolded",
    load: async () => (await import("./delete-webhook.ts")).deleteWebhook,
  },
  {
    name: "upgrade",
    summary: "Upgrade the project to the running version of tsbuilder",
    load: async () => (await import("./upgrade.ts")).upgrade,
  },
  {
    name: "plugins",
    summary: "List the plugins of the project, and those that are installed",
    load: async () => (await import("./plugins.ts")).plugins,
  },
  {
    name: "plugins allow",
    summary: "Allow the code of plugins to run",
    load: async () => (await import("./plugins-allow.ts")).pluginsAllow,
  },
  {
    name: "pin-images",
    summary: "Pin the base images of the Dockerfile to the digests of their tags",
    load: async () => (await import("./pin-images.ts")).pinImages,
  },
  {
    name: "scaffold",
    summary: "Scaffold the project described by PROJECT into another folder",
    load: async () => (await import("./scaffold.ts")).scaffold,
  },
  {
    name: "manifests",
    summary: "Generate CRD, RBAC and webhook manifests from types and markers",
    load: async () => (await import("./manifests.ts")).manifests,
  },
  {
    name: "generate",
    summary: "Run all generators: manifests, and the API reference if there is one",
    load: async () => (await import("./generate.ts")).generate,
  },
  {
    name: "generate docs",
    summary: "Generate an API reference in Markdown from types and markers",
    load: async () => (await import("./generate-docs.ts")).generateDocs,
  },
  {
    name: "generate types",
    summary: "Generate TypeScript types from third-party CRDs",
    load: async () => (await import("./generate-types.ts")).generateTypes,
  },
  {
    name: "generate schemapatch",
    summary: "Patch the schemas of CRD manifests that are maintained by hand",
    load: async () => (await import("./generate-schemapatch.ts")).generateSchemapatch,
  },
  {
    name: "dev",
    summary: "Run the operator on an embedded cluster and restart it on every edit",
    load: async () => (await import("./dev.ts")).dev,
  },
  {
    name: "replay",
    summary: "Show what a session of dev recorded",
    load: async () => (await import("./replay.ts")).replay,
  },
  {
    name: "run",
    summary: "Run the operator on this machine against an existing cluster",
    load: async () => (await import("./run.ts")).run,
  },
  {
    name: "test",
    summary: "Run the project's tests on the embedded cluster or a real API server",
    load: async () => (await import("./test.ts")).test,
  },
  {
    name: "envtest install",
    summary: "Download kube-apiserver, etcd and kubectl for tests on a real API server",
    load: async () => (await import("./envtest-install.ts")).envtestInstall,
  },
  {
    name: "cluster start",
    summary: "Start an embedded cluster and run it until interrupted",
    load: async () => (await import("./cluster-start.ts")).clusterStart,
  },
  {
    name: "build",
    summary: "Bundle the operator, or build its image",
    load: async () => (await import("./build.ts")).build,
  },
  {
    name: "push",
    summary: "Push the operator's image",
    load: async () => (await import("./push.ts")).push,
  },
  {
    name: "load",
    summary: "Load the operator's image into a local cluster without a registry",
    load: async () => (await import("./load.ts")).load,
  },
  {
    name: "install",
    summary: "Install the CRDs into a cluster",
    load: async () => (await import("./install.ts")).install,
  },
  {
    name: "uninstall",
    summary: "Uninstall the CRDs from a cluster",
    load: async () => (await import("./uninstall.ts")).uninstall,
  },
  {
    name: "deploy",
    summary: "Deploy the operator to a cluster",
    load: async () => (await import("./deploy.ts")).deploy,
  },
  {
    name: "undeploy",
    summary: "Undeploy the operator from a cluster",
    load: async () => (await import("./undeploy.ts")).undeploy,
  },
  {
    name: "installer",
    summary: "Generate a single manifest that installs the operator",
    load: async () => (await import("./installer.ts")).installer,
  },
  {
    name: "bundle",
    summary: "Generate a bundle for the Operator Lifecycle Manager",
    load: async () => (await import("./bundle.ts")).bundle,
  },
  {
    name: "bundle build",
    summary: "Build the bundle's image",
    load: async () => (await import("./bundle-build.ts")).bundleBuild,
  },
  {
    name: "bundle push",
    summary: "Push the bundle's image",
    load: async () => (await import("./bundle-push.ts")).bundlePush,
  },
  {
    name: "chart",
    summary: "Generate a Helm chart for the operator",
    load: async () => (await import("./chart.ts")).chart,
  },
  {
    name: "bundle validate",
    summary: "Validate an OLM bundle",
    load: async () => (await import("./bundle-validate.ts")).bundleValidate,
  },
  {
    name: "run bundle",
    summary: "Have OLM install a bundle",
    load: async () => (await import("./run-bundle.ts")).runBundle,
  },
  {
    name: "run bundle-upgrade",
    summary: "Have OLM upgrade what run bundle installed",
    load: async () => (await import("./run-bundle-upgrade.ts")).runBundleUpgrade,
  },
  {
    name: "cleanup",
    summary: "Delete an operator that run bundle installed",
    load: async () => (await import("./cleanup.ts")).cleanup,
  },
  {
    name: "scorecard",
    summary: "Run the tests of a bundle's scorecard",
    load: async () => (await import("./scorecard.ts")).scorecard,
  },
  {
    name: "catalog init",
    summary: "Create a file-based OLM catalog with a package",
    load: async () => (await import("./catalog-init.ts")).catalogInit,
  },
  {
    name: "catalog add",
    summary: "Add a bundle to a file-based OLM catalog",
    load: async () => (await import("./catalog-add.ts")).catalogAdd,
  },
  {
    name: "catalog validate",
    summary: "Validate a file-based OLM catalog",
    load: async () => (await import("./catalog-validate.ts")).catalogValidate,
  },
  {
    name: "catalog build",
    summary: "Build the image of a file-based OLM catalog",
    load: async () => (await import("./catalog-build.ts")).catalogBuild,
  },
  {
    name: "catalog show",
    summary: "Print manifests that install a package from the catalog's image",
    load: async () => (await import("./catalog-show.ts")).catalogShow,
  },
  {
    name: "migrate packagemanifests",
    summary: "Convert package manifests of OLM to bundles",
    load: async () => (await import("./migrate-packagemanifests.ts")).migratePackagemanifests,
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
