import type { User } from "../contract/user.ts";
import type { Resource } from "./resource.ts";

/**
 * The resource and object of a request, and its user. A request is one object that grows: handlers add what the path
 * resolves to (Target), writes their options (WriteRequest, Write), and admission the objects (AdmissionRequest). What is
 * added comes before the spread: behind one, V8 gives each object a shape of its own, which takes a microsecond a field.
 */
export interface ApiRequest {
  readonly resource: Resource;
  /** The API version that the client uses. */
  readonly version: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped resources. */
  readonly namespace: string;
  /** Empty for a create with generateName, and for deletecollection. */
  readonly name: string;
  readonly user: User;
}

/** A write as strategies and admission see it. */
export interface WriteRequest extends ApiRequest {
  readonly now: number;
  readonly dryRun: boolean;
  /** A server-side apply: the new object has its managed fields, and may have nulls, since it was never decoded. */
  readonly applied?: boolean;
  /** The options object, such as CreateOptions, as admission webhooks receive it. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly warn: (message: string) => void;
}
