/** Code around a snippet that makes it a program, and checks that the snippet does what its README says. */
export interface Stage {
  readonly before?: string;
  readonly after?: string;
  /** Arguments of the program. */
  readonly args?: readonly string[];
  /** A part of the snippet, and what runs in its place because the part takes seconds. Both are as they are written. */
  readonly quicker?: readonly [shown: string, run: string];
}

/** The stages of a README, by words that only one snippet has. */
export type Stages = Readonly<Record<string, Stage>>;

export const inCluster = `
import assert from "node:assert/strict";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { eventually, startTestManager } from "@tsbuilder/runtime/testing";
`;

export const given = `import { Backup, MySQL, Shop, configMapFor, deploymentFor, isOld, serviceFor, statefulSetFor } from "../given.ts";
`;
