import type { ClusterWrite } from "@tsbuilder/cluster";
import { isObject } from "@tsbuilder/apimachinery/json";
import { leases } from "../record/session-recording.ts";

/** A Lease by which an operator leads. */
export interface HeldLease {
  readonly namespace: string;
  readonly name: string;
}

/** Finds the Lease that the operator holds, from the writes of the cluster. */
export class OperatorLeases {
  readonly #isOperator: (user: string) => boolean;
  readonly #held = new Map<string, HeldLease>();
  #hasLed = false;

  constructor(isOperator: (user: string) => boolean) {
    this.#isOperator = isOperator;
  }

  see({
    type,
    resource,
    key,
    by,
    bytes,
  }: Pick<ClusterWrite, "type" | "resource" | "key" | "by" | "bytes">): void {
    if (resource !== leases) return;
    if (type !== "DELETED" && by && this.#isOperator(by.user) && isLed(JSON.parse(bytes.toString()))) {
      const [namespace = "", name = ""] = key.split("/");
      this.#held.set(key, { namespace, name });
      this.#hasLed = true;
    } else this.#held.delete(key);
  }

  /** The Lease that the operator holds, unless it has ended without releasing it. */
  get held(): HeldLease | undefined {
    return this.#held.values().next().value;
  }

  /** True if the operator has held a Lease in this session. */
  get hasLed(): boolean {
    return this.#hasLed;
  }
}

/** The label of Leases by which shards divide objects among them; they are not for leader election. */
const ofShards = "tsbuilder.dev/shards";

/** Returns true if a Lease has a holder, and is for leader election. */
function isLed(lease: unknown): boolean {
  if (!isObject(lease) || !isObject(lease["spec"]) || !isObject(lease["metadata"])) return false;
  const { labels } = lease["metadata"];
  const { holderIdentity } = lease["spec"];
  const isOfShards = isObject(labels) && ofShards in labels;
  return typeof holderIdentity === "string" && holderIdentity !== "" && !isOfShards;
}
