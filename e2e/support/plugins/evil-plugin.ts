import { join } from "node:path";
import { beforeEach } from "vitest";
import { writePlugin } from "./plugin-package.ts";
import { type ProjectFolder, useProjectFolder } from "../projects/project-folder.ts";

/** The code of a plugin with some members. */
export const plugin = (body: string): string =>
  `export default { key: "evil.example.com/v1", summary: "evil", ${body} };`;

/** The code of a plugin that contributes something to each project. */
export const initWith = (contribution: string): string => plugin(`init: () => (${contribution})`);

/** The code of a plugin that contributes a file. */
export const file = (path: string, more = ""): string =>
  initWith(`{ files: [{ path: ${JSON.stringify(path)}, content: "evil\\n" ${more} }] }`);

/** A project in which a plugin is chosen that may do evil. */
export interface EvilFolder {
  readonly folder: ProjectFolder;
  readonly choose: (code: string, files?: Record<string, string>) => Promise<string>;
  /** All files but the plugin itself. */
  readonly others: () => Record<string, string>;
}

/** Gives every test of a file an initialized project of its own. */
export function useEvilFolder(): EvilFolder {
  const folder = useProjectFolder();
  beforeEach(() => folder.initialize());
  return {
    folder,
    choose: async (code, files = {}) => {
      writePlugin(join(folder.root, "tools/evil"), { name: "evil", code, files });
      return folder.call("edit --plugins ./tools/evil --make=false");
    },
    others: () =>
      Object.fromEntries(Object.entries(folder.snapshot()).filter(([path]) => !path.startsWith("tools/"))),
  };
}
