/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Stored } from "@tsbuilder/runtime";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { ALLOW_REINIT_ANNOTATION, DOMAIN } from "./maria_names.ts";
import { isPrimaryReady, type Observed, type Pass, primaryPodOf } from "./maria_observed.ts";
import { endOf, isReady } from "./maria_pods.ts";
import { Problem } from "./maria_problem.ts";
import { decode } from "./maria_secrets.ts";

// Which data is the truth? A data directory has a history: a primary that starts empty begins one, and replicas copy it.
// The history of a primary that serves is recorded, and from then on servers with another one don't serve.

/** The history is recorded with the passwords: it must live as long as the data. */
export const HISTORY = `${DOMAIN}/initialized`;

/** The history of the data; undefined until the primary was ready for the first time. */
export function historyOf(mysql: Stored<Maria>, observed: Observed): string | undefined {
  const { credentials, config, pods } = observed;
  const recorded =
    credentials?.metadata.annotations?.[HISTORY] ??
    decode(config?.data).initialized ??
    mysql.status?.history;
  if (isPrimaryReady(mysql, observed) !== true) return recorded;
  const primary = pods.find(({ metadata }) => metadata.name === primaryPodOf(mysql, observed));
  // Older versions of `init.sh` report none, and recorded only that there was data.
  return (primary && reportedBy(primary)) ?? recorded ?? "true";
}

/**
 * Deletes the pods of replicas whose data has another history than the primary's, or can't catch up: `init.sh` then
 * copies the primary's data. Replicas that have what the primary lacks are left alone.
 */
export async function seedAnew({ client, mysql, observed, events }: Pass): Promise<void> {
  if (isPrimaryReady(mysql, observed) !== true) return;
  const history = historyOf(mysql, observed);
  const primaryPod = primaryPodOf(mysql, observed);
  for (const pod of observed.pods) {
    const { name, namespace, uid, deletionTimestamp } = pod.metadata;
    if (name === primaryPod || deletionTimestamp) continue;
    const isOther = (reportedBy(pod) ?? history) !== history;
    if (!isOther && endOf(pod, "mysql")?.exitCode !== REPLICA_STALE) continue;
    await client.delete(Pod, { namespace, name }, { preconditions: { uid } });
    const why = isOther ? "its data was not the primary's" : "the primary has purged logs it needs";
    events.warning(mysql, "SeededAnew", `${name} becomes a copy of the primary: ${why}`);
  }
}

/** Problems of the data, which the scripts report by exit code; those of the primary come first. */
export function problemsOfData(mysql: Stored<Maria>, observed: Observed): Problem[] {
  const primaryPod = primaryPodOf(mysql, observed);
  const rankOf = ({ metadata }: Stored<Pod>) => (metadata.name === primaryPod ? 0 : 1);
  const unready = observed.pods.filter((pod) => !isReady(pod));
  const primaryFirst = unready.toSorted((a, b) => rankOf(a) - rankOf(b));
  return primaryFirst.flatMap((pod) => {
    const { name } = pod.metadata;
    const init = endOf(pod, "init");
    if (init?.exitCode === IMAGE_REFUSED) {
      const message = `${name} does not start: ${init.message?.trim() ?? ""}; set the image back`;
      return new Problem("ImageRefused", message);
    }
    if (name === primaryPod && init?.exitCode === PRIMARY_DATA_LOST) {
      return new Problem(
        "PrimaryDataLost",
        `the volume of ${name} does not have the data that was there before; restore it, make a replica primary, or annotate with ${ALLOW_REINIT_ANNOTATION} to go on with what is there: the replicas will become copies of it`,
      );
    }
    const end = endOf(pod, "mysql");
    if (name !== primaryPod && end?.exitCode === REPLICA_AHEAD) {
      const what = end.message?.trim() || "it has transactions";
      return new Problem(
        "ReplicaAhead",
        `${name} does not follow: ${what}, which the primary lacks; restore the primary's data, or save what you need and delete pvc data-${name} and the pod`,
      );
    }
    return [];
  });
}

/** Exit codes of `init.sh`: a primary without the data that was recorded; data of a newer version or another flavour. */
const [PRIMARY_DATA_LOST, IMAGE_REFUSED] = [3, 6];

/** Exit codes of `start.sh`: the primary has purged the logs that the replica needs; it lacks what the replica has. */
const [REPLICA_STALE, REPLICA_AHEAD] = [4, 5];

/** The history that `init.sh` reported in its termination message. */
function reportedBy(pod: Stored<Pod>): string | undefined {
  const { exitCode, message } = endOf(pod, "init") ?? {};
  return exitCode === 0 ? message?.trim() || undefined : undefined;
}
