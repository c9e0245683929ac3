import { fnv64 } from "@tsbuilder/apimachinery/text";
import { type Clock, formatMicroTime } from "@tsbuilder/apimachinery/time";
import type { Client } from "../client/client.ts";
import { ApiError } from "../errors/api-error.ts";
import { Lease } from "../k8s/coordination/v1.ts";
import type { MemberRecord } from "../shards/member.ts";
import { allRanges, formatRanges, parseRanges, type Ranges } from "../shards/ranges.ts";

/** The label of all Leases of one operator. */
const operatorLabel = "tsbuilder.dev/shards";
/** The annotation with the ranges that the process of a Lease claims, and the one with its `MemberSettings.layout`. */
export const claimsAnnotation = "tsbuilder.dev/shard-claims";
const layoutAnnotation = "tsbuilder.dev/shard-layout";

/** The fields that all Leases of a process have in common, and the client that writes them. */
export interface MemberLeasesOptions {
  /** Reads live, on its own connections: a busy operator must not delay a renewal. */
  readonly client: Client;
  readonly clock: Clock;
  readonly id: string;
  readonly labels: { readonly [name: string]: string } | undefined;
  /** The name of the own Lease. */
  readonly name: string;
  readonly identity: string;
  readonly layout: string;
  readonly leaseDuration: number;
}

/** The Leases of the processes that share ranges. */
export class MemberLeases {
  readonly #options: MemberLeasesOptions;
  /** The id, or its hash: the value of a label has at most 63 characters. */
  readonly #labelValue: string;
  #namespace = "";

  constructor(options: MemberLeasesOptions) {
    this.#options = options;
    const { id } = options;
    this.#labelValue = id.length > 63 ? fnv64(id).toString(16) : id;
  }

  useNamespace(namespace: string): void {
    this.#namespace = namespace;
  }

  /** Creates the own Lease, or renews the `known` one; undefined if it was created, changed or deleted by others. */
  async write(
    claims: Ranges,
    known: { readonly uid: string; readonly version: string } | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly uid: string; readonly version: string } | undefined> {
    const { client, clock, labels, name, identity, layout, leaseDuration } = this.#options;
    const lease: Lease = {
      apiVersion: Lease.apiVersion,
      kind: Lease.kind,
      metadata: {
        name,
        namespace: this.#namespace,
        labels: { ...labels, [operatorLabel]: this.#labelValue },
        annotations: { [claimsAnnotation]: formatRanges(claims), [layoutAnnotation]: layout },
        // The uid keeps the update from creating the Lease anew.
        ...(known && { uid: known.uid, resourceVersion: known.version }),
      },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(leaseDuration / 1000),
        renewTime: formatMicroTime(clock.now()),
      },
    };
    try {
      const { metadata } = await (known
        ? client.update(Lease, lease, { signal })
        : client.create(Lease, lease, { signal }));
      return { uid: metadata.uid ?? "", version: metadata.resourceVersion ?? "" };
    } catch (error) {
      // A missing namespace is reported: it is not a conflict with another process.
      const isMissing = !known && error instanceof ApiError && error.isNotFound;
      if (isChanged(error) && !isMissing) return undefined;
      throw error;
    }
  }

  /** Lists the Leases of all processes, from the server. */
  async list(signal: AbortSignal): Promise<MemberRecord[]> {
    const { client } = this.#options;
    const leases = await client.list(Lease, {
      namespace: this.#namespace,
      labels: `${operatorLabel}=${this.#labelValue}`,
      live: true,
      signal,
    });
    return leases.map(({ metadata, spec }) => ({
      name: metadata.name ?? "",
      uid: metadata.uid ?? "",
      version: metadata.resourceVersion ?? "",
      layout: metadata.annotations?.[layoutAnnotation] ?? "",
      // A Lease with an invalid annotation counts as claiming all ranges, which is safe.
      claims: parseRanges(metadata.annotations?.[claimsAnnotation]) ?? allRanges,
      leaseDuration: (spec?.leaseDurationSeconds ?? 0) * 1000,
    }));
  }

  /** Deletes the Lease of a dead process, unless it has changed. */
  async bury({ name, uid, version }: Pick<MemberRecord, "name" | "uid" | "version">, signal: AbortSignal) {
    const preconditions = { uid, resourceVersion: version };
    try {
      await this.#options.client.delete(Lease, this.#leaseRef(name), { preconditions, signal });
    } catch (error) {
      if (!isChanged(error)) throw error;
    }
  }

  /** Deletes the own Lease in any version: it claims nothing any more. */
  async leave(uid: string, signal: AbortSignal): Promise<void> {
    const { client, name } = this.#options;
    await client.delete(Lease, this.#leaseRef(name), { preconditions: { uid }, signal });
  }

  #leaseRef(name: string) {
    return { metadata: { name, namespace: this.#namespace } };
  }
}

/** Returns true if the Lease is not in the state that the request expected. */
function isChanged(error: unknown): boolean {
  return error instanceof ApiError && (error.isConflict || error.isAlreadyExists || error.isNotFound);
}
