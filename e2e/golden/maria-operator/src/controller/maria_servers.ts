/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { pruneServicePorts } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { NetworkPolicy } from "@tsbuilder/runtime/k8s/networking/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { configSecretFor, serverFiles } from "./maria_config.ts";
import { ensureCredentials } from "./maria_credentials.ts";
import { announceChange, announceRotation } from "./maria_events.ts";
import { historyOf } from "./maria_history.ts";
import { namesOf, sizeOf } from "./maria_names.ts";
import { type Pass, primaryOf, primaryPodOf, serversOf } from "./maria_observed.ts";
import { applyOwned, deleteOwned, renew } from "./maria_owned.ts";
import {
  disruptionBudgetFor,
  networkPolicyFor,
  servicesFor,
  statefulSetFor,
} from "./maria_resources.ts";
import { acceptedBy } from "./maria_rotation.ts";
import { hashOf } from "./maria_secrets.ts";
import { readCertificate, usesTls } from "./maria_tls.ts";

/** Applies the Services. */
export async function driveServices({ client, mysql, observed }: Pass): Promise<void> {
  for (const service of servicesFor(mysql, primaryPodOf(mysql, observed))) {
    await applyOwned(client, mysql, Service, service, pruneServicePorts);
  }
}

/** Applies the servers: first the passwords, then the files that contain them, then the pods that mount the files. */
export async function driveServers(pass: Pass): Promise<void> {
  const { client, mysql, observed, events } = pass;
  const passwords = await ensureCredentials(pass);
  const certificate = await readCertificate(pass);
  const files = serverFiles(mysql, passwords);
  const accepted = acceptedBy(observed, files["passwords.sql"]);
  const { replaced, asked } = passwords;
  const recorded = {
    ...{ replaced, asked, accepted },
    primary: primaryOf(observed),
    usesTls: usesTls(mysql, observed),
    history: historyOf(mysql, observed),
  };
  const config = configSecretFor(mysql, { ...files, ...certificate }, recorded);
  await applyOwned(client, mysql, Secret, config);
  announceRotation(pass, passwords);
  // One that is being deleted is recreated after its deletion event.
  const before = observed.statefulSet;
  if (before?.metadata.deletionTimestamp) return;
  // Earlier versions of this operator made it otherwise, and the field is immutable.
  if (before?.spec?.podManagementPolicy === "OrderedReady") {
    await renew(client, before);
    events.normal(mysql, "ReplacingStatefulSet", "the new one starts its servers together");
    return;
  }
  // Passwords and certificates are no part of it: only other changes of these files restart the servers.
  const settings = hashOf(files["my.cnf"] + files["init.sql"]);
  const desired = statefulSetFor(mysql, settings, serversOf(mysql, observed), before);
  announceChange(pass, await applyOwned(client, mysql, StatefulSet, desired));
}

/** Limits who reaches the servers. */
export async function driveNetworkPolicy({ client, mysql }: Pass): Promise<void> {
  const { clients } = mysql.spec;
  if (!clients) return deleteOwned(client, mysql, NetworkPolicy, namesOf(mysql).networkPolicy);
  await applyOwned(client, mysql, NetworkPolicy, networkPolicyFor(mysql, clients));
}

/** Limits node drains to one server at a time. */
export async function driveDisruptionBudget({ client, mysql }: Pass): Promise<void> {
  const name = namesOf(mysql).disruptionBudget;
  if (sizeOf(mysql) < 2) return deleteOwned(client, mysql, PodDisruptionBudget, name);
  await applyOwned(client, mysql, PodDisruptionBudget, disruptionBudgetFor(mysql));
}
