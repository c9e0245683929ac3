import type { User } from "../contract/user.ts";
import type { Resource } from "./resource.ts";

/** What a request is about, and who asks. Each step on its way adds to it what it finds out. */
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

/** What a strategy and admission may know of the write they take part in. */
export interface WriteRequest extends ApiRequest {
  readonly now: number;
  readonly dryRun: boolean;
  /** The options object that admission webhooks get to see. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly warn: (message: string) => void;
}
