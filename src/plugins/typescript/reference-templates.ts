import { deployImageWords } from "./deploy-image-words.ts";

/** A reference operator: where its templates are, and what it is called unless said otherwise. */
export interface ReferenceTemplate {
  /** Folder below `templates/typescript/template`. */
  readonly name: string;
  readonly summary: string;
  readonly group: string;
  readonly version: string;
  /** A template without a kind of its own is for any. */
  readonly kind: string | undefined;
  /** Imports scripts and configuration files as text. */
  readonly hasTextFiles: boolean;
  /** What it must or may be told, with the values of what isn't. */
  readonly options: Readonly<Record<string, string | undefined>>;
  /** What its templates say for that, where it is not the very words. */
  readonly words?: (options: Readonly<Record<string, string>>) => Record<string, string>;
}

/** All reference operators. To add one: its folder of templates, and an entry. */
export const referenceTemplates: readonly ReferenceTemplate[] = [
  {
    name: "mysql",
    summary: "MySQL or MariaDB with replicas and backups",
    group: "apps",
    version: "v1",
    kind: "MySQL",
    hasTextFiles: true,
    options: {},
  },
  {
    name: "appservice",
    summary: "a Deployment, a Service and what else an app needs, in one object",
    group: "apps",
    version: "v1",
    kind: "AppService",
    hasTextFiles: false,
    options: {},
  },
  {
    name: "deploy-image",
    summary: "any image, with its command, port and user",
    group: "apps",
    version: "v1",
    kind: undefined,
    hasTextFiles: false,
    options: { image: undefined, containerCommand: "", containerPort: "", runAsUser: "" },
    words: deployImageWords,
  },
];
