// The output of commands, for people and programs. Commands get the `Ui` of this file; `report.ts` is the real terminal, and
// formats plans and errors. It is the lowest folder of the CLI.

import type { MarkerHelp } from "../../generators/markers/help.ts";
import type { RuleFinding } from "../../olm/rule-finding.ts";
import type { FileConflict } from "../../scaffold/plan-upgrade.ts";
import type { ListedPlugin } from "../../plugins/contributed/list-plugins.ts";

/** Output and prompts of a command. Only `main` creates one; commands receive it. */
export interface Ui {
  /** Results, to standard output. */
  print(text: string): void;
  /** Progress and warnings, to standard error. */
  note(text: string): void;
  /** A user can answer prompts. */
  readonly isInteractive: boolean;
  /** Adds to what `--output json` prints; people see the same as text. */
  add?(details: Details): void;
}

/** Details of a command's report for programs. */
export interface Details {
  /** The files of its plan. */
  readonly changes?: readonly ChangedFile[];
  /** The files were written; false with `--dry-run` or `--diff`. */
  readonly written?: boolean;
  readonly findings?: readonly Finding[];
  /** Problems in files that the command checked. */
  readonly problems?: readonly RuleFinding[];
  /** Versions of tsbuilder, Node and the like, by name. */
  readonly versions?: Readonly<Record<string, string>>;
  readonly plugins?: readonly ListedPlugin[];
  readonly markers?: readonly MarkerHelp[];
  /** The commit of an upgrade. */
  readonly upgrade?: CommittedUpgrade;
  /** Error codes with their explanations. */
  readonly codes?: readonly { readonly code: string; readonly meaning: string; readonly remedy: string }[];
}

/** The result of one check. */
export interface Finding {
  /** `missing` is only needed by some commands; `wrong` makes doctor exit with 1. */
  readonly state: "good" | "missing" | "wrong";
  /** The subject of the check: `node`, `config/crd`. */
  readonly subject: string;
  readonly message: string;
  /** A command to run or a program to install; required unless the finding is good. */
  readonly remedy?: string;
}

interface ChangedFile {
  readonly action: "create" | "update" | "delete";
  readonly path: string;
}

interface CommittedUpgrade {
  readonly from: string;
  readonly to: string;
  readonly commit: string;
  readonly branch?: string;
  /** Its URL. */
  readonly pullRequest?: string;
  readonly conflicts: readonly FileConflict[];
}
