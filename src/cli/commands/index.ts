import type { Command } from "../command.ts";

/** A command as it is typed, and where it is. Its file is loaded when it runs. */
export interface CommandEntry {
  /** `create api` */
  readonly name: string;
  /** The same as in the command's file, so that the overview loads none. */
  readonly summary: string;
  // biome-ignore lint/suspicious/noExplicitAny: each command knows its own flags; here they are all alike.
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
    name: "manifests",
    summary: "Write definitions, roles and webhook configurations from types and markers",
    load: async () => (await import("./manifests.ts")).manifests,
  },
  {
    name: "version",
    summary: "Tell the version of tsbuilder, and what it runs on",
    load: async () => (await import("./version.ts")).version,
  },
];
