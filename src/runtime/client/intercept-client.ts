import type { Kind } from "@tsbuilder/apimachinery/meta";
import { logLines } from "../containers/log-lines.ts";
import type { LogLines } from "../containers/options.ts";
import { TerminalError } from "../errors/api-error.ts";
import { Pod } from "../k8s/core/v1.ts";
import type { Client } from "./client.ts";

const verbs = [
  "find",
  "get",
  "list",
  "create",
  "update",
  "updateStatus",
  "patch",
  "patchStatus",
  "apply",
  "applyFields",
  "applyStatus",
  "delete",
  "deleteAllOf",
] as const;

/** Calls whose first argument is a pod, not a kind. */
const podVerbs = ["logs", "exec", "openPort", "portForward"] as const;
const calls: readonly string[] = [...verbs, ...podVerbs];

/** The calls of a client that can be intercepted. */
export type ClientVerb = (typeof verbs)[number] | (typeof podVerbs)[number];

/** A call of a client. */
export interface ClientCall {
  readonly verb: ClientVerb;
  /** `Pod` for calls in containers. */
  readonly kind: Kind;
  /** The arguments after the kind: an object or its key, and the further arguments of the call. */
  readonly args: readonly unknown[];
}

/** Handles a call by calling `next`, or instead of it. Instead of `logs`, it may return any lines. */
export type CallInterceptor = (
  call: ClientCall,
  next: (call: ClientCall) => Promise<unknown>,
) => Promise<unknown>;

/** Interceptors by verb. */
export type ClientInterceptors = { readonly [Verb in ClientVerb]?: CallInterceptor | undefined };

/**
 * Returns a client whose calls pass an interceptor: to count, delay, change or reject them by verb and kind. Calls of
 * other verbs, and those that a call makes itself, are not affected. `with` returns clients with the same interceptors.
 */
export function interceptClient(client: Client, interceptors: ClientInterceptors): Client {
  const unknown = Object.keys(interceptors).find((name) => !calls.includes(name));
  if (unknown !== undefined)
    throw new TerminalError(`a client has no call "${unknown}" to intercept: there are ${calls.join(", ")}`);
  const broken = Object.entries(interceptors).find(
    ([, interceptor]) => interceptor !== undefined && typeof interceptor !== "function",
  );
  if (broken) throw new TerminalError(`the interceptor of "${broken[0]}" must be a function`);
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args);
      if (name === "with")
        return (...args: unknown[]) => interceptClient(call(...args) as Client, interceptors);
      const interceptor = Object.hasOwn(interceptors, name) && interceptors[name as ClientVerb];
      if (!interceptor) return call;
      const verb = name as ClientVerb;
      // An error that an interceptor throws rejects the call.
      if (isPodVerb(verb)) {
        const next = async ({ args }: ClientCall): Promise<unknown> => call(...args);
        const intercept = async (args: unknown[]) => interceptor({ verb, kind: Pod, args }, next);
        if (verb === "logs")
          return (...args: unknown[]) => logLines(async () => (await intercept(args)) as LogLines);
        return (...args: unknown[]) => intercept(args);
      }
      const next = async ({ kind, args }: ClientCall): Promise<unknown> => call(kind, ...args);
      return async (kind: Kind, ...args: unknown[]) => interceptor({ verb, kind, args }, next);
    },
  });
}

function isPodVerb(verb: ClientVerb): boolean {
  return (podVerbs as readonly string[]).includes(verb);
}
