/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { jobContainer, jobFor } from "./maria_backup_resources.ts";
import { resultOf } from "./maria_jobs.ts";
import { hostOf, namesOf, PORT } from "./maria_names.ts";
import { type Observed, type Pass, serversOf } from "./maria_observed.ts";
import { applyOwned, deleteOwned } from "./maria_owned.ts";
import { ACCEPTED } from "./maria_passwords.ts";
import { endsOf } from "./maria_pods.ts";
import { Problem } from "./maria_problem.ts";
import { decode, hashOf } from "./maria_secrets.ts";

/** Tells running servers which passwords are valid, by a Job; those that start read it themselves. */
export async function drivePasswords({ client, mysql, observed }: Pass): Promise<void> {
  const { config, rotation, allPods } = observed;
  const wanted = hashOf(decode(config?.data)["passwords.sql"] ?? "");
  if (!config || config.metadata.annotations?.[ACCEPTED] === wanted) return;
  const name = namesOf(mysql).passwords;
  if (!rotation) {
    const hosts = Array.from({ length: serversOf(mysql, observed) }, (_, at) => hostOf(mysql, at));
    const container = jobContainer(mysql, "passwords", {
      HOSTS: hosts.map((host) => `${host}:${PORT}`).join(" "),
      PASSWORDS: wanted,
    });
    const annotations = { [ACCEPTED]: wanted };
    const job = jobFor(mysql, "passwords", { container, backoffLimit: 60, annotations });
    await applyOwned(client, mysql, Job, job);
    return;
  }
  const isOther = rotation.metadata.annotations?.[ACCEPTED] !== wanted;
  if (isOther || resultOf(rotation) === "Failed") await deleteOwned(client, mysql, Job, name);
  if (isOther || !rotation.status?.failed) return;
  const why = endsOf(rotation, allPods).at(-1)?.message?.trim() || "see its log";
  throw new Problem("PasswordsNotAccepted", `job ${name} is repeated: ${why}`);
}

/** The hash of what all servers accept, as far as it is known. */
export function acceptedBy(
  { statefulSet, pods, config, rotation }: Observed,
  statements: string,
): string | undefined {
  if (!statefulSet && pods.length === 0) return hashOf(statements);
  const known = config?.metadata.annotations?.[ACCEPTED];
  if (!rotation || resultOf(rotation) !== "Succeeded") return known;
  return rotation.metadata.annotations?.[ACCEPTED];
}
