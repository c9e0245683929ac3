import type { Kind } from "@tsbuilder/runtime";
import type { MistakeClass, ProjectExploration, Promises } from "@tsbuilder/simulation";

/** A mistake: the lines of the right operator that it replaces, each of which stands there once. */
export interface Defect {
  readonly name: string;
  /** Where operators were seen to make it. */
  readonly seenIn: string;
  /** The classes that a story of it may name. */
  readonly classes: readonly MistakeClass[];
  readonly edits: readonly { readonly right: string; readonly wrong: string }[];
}

/** The export of `operators/NAME/exam.ts`: an operator of `controller.ts`, its world, and its defects. */
export interface Exam {
  readonly kind: Kind;
  /**
   * Everything that its exploring test says besides, as a user writes it after reading the guide: stand-ins for other
   * systems, values of fields, controllers of the cluster. Called once for each exploration.
   */
  readonly world?: () => Omit<ProjectExploration, "kind" | "setup" | "folder" | keyof Promises>;
  /** Says what must hold, for mistakes that only its author can call mistakes. */
  readonly promises?: Promises;
  readonly defects: readonly Defect[];
}
