/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Desired, Stored } from "@tsbuilder/runtime";
import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { jobContainer, jobFor } from "./maria_backup_resources.ts";
import { resultOf } from "./maria_jobs.ts";
import {
  ALLOW_LOSS_ANNOTATION,
  hostOf,
  namesOf,
  PORT,
  PRIMARY_ANNOTATION,
  sizeOf,
} from "./maria_names.ts";
import { isPrimaryReady, type Pass, primaryOf, serversOf } from "./maria_observed.ts";
import { applyOwned, deleteOwned } from "./maria_owned.ts";
import { endsOf, isReady } from "./maria_pods.ts";
import { Problem } from "./maria_problem.ts";

// Who is primary? The one that is recorded with the passwords, until a Job of `switch.sh` has made another one primary.
// Servers and Services are told afterwards: what the Job leaves in the data is enough for servers that restart meanwhile.

/** Makes the server primary that the spec names. */
export async function driveSwitchover(pass: Pass): Promise<void> {
  const { client, mysql, observed } = pass;
  const { switchover, allPods, credentials, pods } = observed;
  const { primary: wanted } = mysql.spec;
  const name = namesOf(mysql).switchover;
  if (switchover) {
    const result = resultOf(switchover);
    const { [PRIMARY_ANNOTATION]: target } = switchover.metadata.annotations ?? {};
    const isRecorded = credentials?.metadata.annotations?.[PRIMARY_ANNOTATION] === target;
    const ends = endsOf(switchover, allPods);
    // A killed one may have begun.
    const refused = ends.filter(({ exitCode }) => exitCode === NOTHING_CHANGED).length;
    const hasBegun = refused < (switchover.status?.failed ?? 0);
    const isOutdated =
      Number(target) === wanted ? allowsLoss(switchover) !== allowsLoss(mysql) : !hasBegun;
    if (result === "Succeeded" ? isRecorded : result === "Failed" && isOutdated) {
      return deleteOwned(client, mysql, Job, name);
    }
    if (result !== "Failed") return;
    const why = ends.at(-1)?.message?.trim() || "see its log";
    const what = Number(target) === wanted ? "" : `it has begun, so set primary to ${target}, and `;
    const message = `job ${name} failed: ${why}; ${what}delete it to retry`;
    throw new Problem("SwitchoverFailed", message);
  }
  if (wanted === undefined || wanted === primaryOf(observed) || sizeOf(mysql) === 0) return;
  const pod = `${namesOf(mysql).statefulSet}-${wanted}`;
  if (!pods.some((one) => one.metadata.name === pod && isReady(one))) {
    throw new Problem("SwitchoverWaits", `${pod} is to be primary, but is not ready`);
  }
  await applyOwned(client, mysql, Job, switchoverFor(pass, wanted));
}

/** Exit code of `switch.sh` if it was refused before it changed anything. */
const NOTHING_CHANGED = 7;

/** The servers that may have received more than the one that is to be primary. */
export function othersOf(servers: number, primary: number, target: number): number[] {
  const all = Array.from({ length: servers }, (_, ordinal) => ordinal);
  return all.filter((ordinal) => ordinal !== target && ordinal !== primary);
}

function switchoverFor({ mysql, observed }: Pass, target: number): Desired<Job> {
  const others = othersOf(serversOf(mysql, observed), primaryOf(observed), target);
  const isLossAllowed = allowsLoss(mysql) && isPrimaryReady(mysql, observed) === false;
  const container = jobContainer(mysql, "switch", {
    TARGET_HOST: hostOf(mysql, target),
    OTHER_HOSTS: others.map((ordinal) => `${hostOf(mysql, ordinal)}:${PORT}`).join(" "),
    ALLOW_LOSS: isLossAllowed ? "true" : "",
  });
  const annotations = {
    [PRIMARY_ANNOTATION]: String(target),
    ...(allowsLoss(mysql) ? { [ALLOW_LOSS_ANNOTATION]: "true" } : {}),
  };
  return jobFor(mysql, "switchover", { container, backoffLimit: 2, annotations });
}

function allowsLoss({ metadata }: Stored<Maria> | Job): boolean {
  return metadata.annotations?.[ALLOW_LOSS_ANNOTATION] !== undefined;
}
