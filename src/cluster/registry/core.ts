import type { Readable } from "node:stream";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Connect, KubeletTLS } from "../contract/kubelet-tls.ts";
import type { TokenIssuer, User } from "../contract/user.ts";
import type { Authorizer } from "../contract/authorizer.ts";
import type { Store } from "../storage/store.ts";
import type { TimeSlices } from "../http/time-slices.ts";
import type { WatchTurn } from "../http/watch-turn.ts";
import type { Registry } from "./registry.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { WriteRequest } from "./resource.ts";

/** The parts of the server that handlers, writes and controllers share. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  /** The clock of connections: timeouts of watches, delays of responses. */
  readonly connectionClock: Clock;
  readonly slices: TimeSlices;
  readonly watchTurn: WatchTurn;
  /** Receives errors of the server that no response can report. */
  readonly onError: (error: unknown) => void;
  readonly admission: Admission;
  readonly authorizer: Authorizer;
  readonly tokens: TokenIssuer;
  /** Undefined for a server that reaches nothing, as in a simulation. */
  readonly kubelets?: KubeletTLS | undefined;
  /** Connects to addresses of nodes, pods and Services, if these are in a network of their own. Default: as the machine does. */
  readonly connect?: Connect | undefined;
  /** The server's own certificate, in PEM, by which it notices that an address of a kubelet leads to itself. */
  readonly servingCertificate?: string | undefined;
  /** Loads images of an archive into all nodes. Undefined for a cluster without real nodes. */
  readonly loadImages?: ((archive: Readable) => Promise<void>) | undefined;
  /** Returns the user of a bearer token for an audience. */
  readToken(token: string, audience: string): { user: User; audiences: readonly string[] } | undefined;
}

/** The admission of writes: mutation, then, after defaults and validation, validation. Denials are thrown. */
export interface Admission {
  /** Returns the mutated object. */
  mutate(request: AdmissionRequest): Promise<ApiObject | undefined>;
  validate(request: AdmissionRequest): Promise<void>;
}

/** A write as admission plugins see it. The objects are in the version of the request. */
export interface AdmissionRequest extends WriteRequest {
  readonly operation: Operation;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The namespace of a request. The namespace of a Namespace is itself. */
export function requestNamespace({ resource, namespace, name }: AdmissionRequest): string {
  return resource.group === "" && resource.plural === "namespaces" ? name : namespace;
}
