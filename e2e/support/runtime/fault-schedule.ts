import * as fc from "fast-check";
import type { ProxiedRequest, ProxyFault } from "../../../src/runtime/testing/fault-proxy.ts";

/** Which requests a fault is for. Leases are read and written by the election, everything else by the controller. */
export type Traffic = "watch" | "read" | "write" | "lease";

/** One step of a schedule; `who` is one of the two processes. */
export type Step =
  | { readonly do: "set"; readonly name: string; readonly size: number }
  /** Many objects at once: a process that takes over has all of them in its queue. */
  | { readonly do: "crowd"; readonly count: number; readonly size: number }
  /** Each reconcile of a process takes this long from now on. */
  | { readonly do: "work"; readonly who: number; readonly milliseconds: number }
  | { readonly do: "delete"; readonly name: string }
  | { readonly do: "wait"; readonly milliseconds: number }
  /** In the meantime an object is set. */
  | {
      readonly do: "suspend";
      readonly who: number;
      readonly milliseconds: number;
      readonly name: string;
      readonly size: number;
    }
  | { readonly do: "cut" | "stop"; readonly who: number }
  | { readonly do: "connections"; readonly who: number; readonly to: "pass" | "reset" | "hang" }
  | {
      readonly do: "break";
      readonly who: number;
      readonly traffic: Traffic;
      readonly times: number;
      readonly fault: ProxyFault;
    };

/** A record that can be written down as an example. */
function record<T>(model: { [Field in keyof T]: fc.Arbitrary<T[Field]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true });
}

const statuses = [200, 204, 301, 400, 401, 403, 404, 405, 408, 409, 410, 413, 422, 429, 500, 502, 503, 504];

const fault: fc.Arbitrary<ProxyFault> = fc.oneof(
  record({ type: fc.constantFrom("refuse" as const, "swallow" as const) }),
  record({
    type: fc.constantFrom("reset" as const, "truncate" as const, "freeze" as const),
    after: fc.nat(3000),
  }),
  record({ type: fc.constant("slow" as const), milliseconds: fc.integer({ min: 1, max: 8000 }) }),
  record({
    type: fc.constant("answer" as const),
    status: fc.constantFrom(...statuses),
    body: fc.constantFrom("", "<html>no backend</html>", "{}"),
    retryAfter: fc.option(fc.nat(5), { nil: undefined }),
  }),
);

const who = fc.nat(1);
const name = fc.constantFrom("a", "b", "c");

const anyTraffic = fc.constantFrom<Traffic>("watch", "read", "write", "lease");

/** Schedules of four to twenty steps; most of their faults are for one kind of requests. */
export function schedulesOf(most: Traffic): fc.Arbitrary<readonly Step[]> {
  const traffic = fc.oneof({ weight: 2, arbitrary: fc.constant(most) }, { weight: 1, arbitrary: anyTraffic });
  const times = fc.integer({ min: 1, max: 4 });
  const to = fc.constantFrom("pass" as const, "reset" as const, "hang" as const);
  const steps = [
    { weight: 4, arbitrary: record({ do: fc.constant("set" as const), name, size: fc.nat(9) }) },
    { weight: 2, arbitrary: record({ do: fc.constant("delete" as const), name }) },
    { weight: 4, arbitrary: record({ do: fc.constant("wait" as const), milliseconds: fc.nat(30_000) }) },
    {
      weight: 5,
      arbitrary: record({
        do: fc.constant("suspend" as const),
        who,
        milliseconds: fc.nat(40_000),
        name,
        size: fc.nat(9),
      }),
    },
    {
      weight: 1,
      arbitrary: record({ do: fc.constant("crowd" as const), count: fc.nat(60), size: fc.nat(9) }),
    },
    {
      weight: 1,
      arbitrary: record({
        do: fc.constant("work" as const),
        who,
        milliseconds: fc.constantFrom(0, 1, 500, 4000),
      }),
    },
    { weight: 1, arbitrary: record({ do: fc.constantFrom("cut" as const, "stop" as const), who }) },
    { weight: 1, arbitrary: record({ do: fc.constant("connections" as const), who, to }) },
    { weight: 6, arbitrary: record({ do: fc.constant("break" as const), who, traffic, times, fault }) },
  ];
  return fc.array(fc.oneof(...steps), { minLength: 4, maxLength: 20 });
}

/** The kind of a request. */
export function trafficOf({ method, path }: ProxiedRequest): Traffic {
  if (path.includes("/leases")) return "lease";
  if (method !== "GET") return "write";
  return path.includes("watch=true") ? "watch" : "read";
}
