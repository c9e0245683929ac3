import type { Command } from "../command.ts";

/** A command as it is typed, and where it is. Its file is loaded when it runs. */
export interface CommandEntry {
  /** `create api` */
  readonly name: string;
  /** The same as in the command's file, so that the overview loads none. */
  readonly summary: string;
  // Each command knows its own flags; in this list they are all alike.
  load(): Promise<Command<any>>; // oxlint-disable-line typescript/no-explicit-any
}

/** All commands, in the order of the help. To add one: a file here beside, and a line. */
export const commands: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "Start a project in this folder",
    load: async () => (await import("./init.ts")).init,
  },
  {
    name: "create api",
    summary: "Add a kind: its types, its controller, its objects in config/",
    load: async () => (await import("./create-api.ts")).createApi,
  },
  {
    name: "create webhook",
    summary: "Add webhooks to a kind: defaulting, validation, conversion",
    load: async () => (await import("./create-webhook.ts")).createWebhook,
  },
  {
    name: "edit",
    summary: "Change the project: layout, scope, licence, features of the deployment",
    load: async () => (await import("./edit.ts")).edit,
  },
  {
    name: "delete api",
    summary: "Take back what create api made",
    load: async () => (await import("./delete-api.ts")).deleteApi,
  },
  {
    name: "delete webhook",
    summary: "Take back what create webhook made",
    load: async () => (await import("./delete-webhook.ts")).deleteWebhook,
  },
  {
    name: "upgrade",
    summary: "Bring the project to the version of the tsbuilder that runs",
    load: async () => (await import("./upgrade.ts")).upgrade,
  },
  {
    name: "scaffold",
    summary: "Write what PROJECT describes to another folder, as if it were new",
    load: async () => (await import("./scaffold.ts")).scaffold,
  },
  {
    name: "manifests",
    summary: "Write definitions, roles and webhook configurations from types and markers",
    load: async () => (await import("./manifests.ts")).manifests,
  },
  {
    name: "generate",
    summary: "Write everything that is generated: manifests, and what you have opted in to",
    load: async () => (await import("./generate.ts")).generate,
  },
  {
    name: "generate docs",
    summary: "Write an API reference in Markdown from types and markers",
    load: async () => (await import("./generate-docs.ts")).generateDocs,
  },
  {
    name: "generate types",
    summary: "Write TypeScript types for the definitions of others",
    load: async () => (await import("./generate-types.ts")).generateTypes,
  },
  {
    name: "generate schemapatch",
    summary: "Put fresh schemas into definitions that are kept by hand",
    load: async () => (await import("./generate-schemapatch.ts")).generateSchemapatch,
  },
  {
    name: "dev",
    summary: "Run the operator on an embedded cluster, and take up every edit",
    load: async () => (await import("./dev.ts")).dev,
  },
  {
    name: "run",
    summary: "Run the operator on this machine, against a cluster that is there",
    load: async () => (await import("./run.ts")).run,
  },
  {
    name: "test",
    summary: "Run the project's tests on the embedded cluster, or on a real API server",
    load: async () => (await import("./test.ts")).test,
  },
  {
    name: "envtest install",
    summary: "Download kube-apiserver, etcd and kubectl for tests on a real API server",
    load: async () => (await import("./envtest-install.ts")).envtestInstall,
  },
  {
    name: "cluster start",
    summary: "Start an embedded cluster, and keep it until it is asked to end",
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
    summary: "Load the operator's image into a local cluster, without a registry",
    load: async () => (await import("./load.ts")).load,
  },
  {
    name: "install",
    summary: "Apply the project's definitions to a cluster",
    load: async () => (await import("./install.ts")).install,
  },
  {
    name: "uninstall",
    summary: "Delete the project's definitions from a cluster",
    load: async () => (await import("./uninstall.ts")).uninstall,
  },
  {
    name: "deploy",
    summary: "Deploy the operator to a cluster",
    load: async () => (await import("./deploy.ts")).deploy,
  },
  {
    name: "undeploy",
    summary: "Delete the operator from a cluster",
    load: async () => (await import("./undeploy.ts")).undeploy,
  },
  {
    name: "installer",
    summary: "Write one manifest that installs the operator anywhere",
    load: async () => (await import("./installer.ts")).installer,
  },
  {
    name: "chart",
    summary: "Write a Helm chart of the operator",
    load: async () => (await import("./chart.ts")).chart,
  },
  {
    name: "doctor",
    summary: "Look for what is missing on this machine, or wrong in this project",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "completion",
    summary: "Print the script that completes commands and flags in a shell",
    load: async () => (await import("./completion.ts")).completion,
  },
  {
    name: "version",
    summary: "Tell the version of tsbuilder, and what it runs on",
    load: async () => (await import("./version.ts")).version,
  },
];
