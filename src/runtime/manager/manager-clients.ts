import { hostname } from "node:os";
import type { Client } from "../client/client.ts";
import {
  type ClientOptions,
  createClient,
  createSlicedClient,
  type LiveClient,
} from "../client/live-client.ts";
import { ApiEventRecorder } from "../events/api-event-recorder.ts";
import { makeElector } from "../leader-election/lease-elector.ts";
import { makeMember, type Sharing } from "../leader-election/make-member.ts";
import type { Base } from "./manager-base.ts";
import type { ManagerOptions } from "./manager-options.ts";

/** Leases and Events have their own connections: a busy operator must not delay a renewal. */
export function makeElection({ leaderElection }: ManagerOptions, base: Base) {
  const { name, clock, config, measurements, log } = base;
  const background = createClient(config, {
    userAgent: `${name}/leader-election`,
    fieldManager: name,
    clock,
  });
  const events = makeEvents(base, background);
  const elector =
    leaderElection &&
    makeElector(leaderElection, config, {
      client: background,
      clock,
      log,
      events,
      onStatus: (isLeading) => measurements.leading(leaderElection.id, isLeading),
    });
  return { background, events, elector };
}

export function makeEvents({ name, log, clock }: Base, client: Client): ApiEventRecorder {
  const reportingInstance = `${name}-${hostname()}`;
  return new ApiEventRecorder({ client, reportingController: name, reportingInstance, log, clock });
}

/** Shares the objects with other processes. */
export function makeSharing(
  { sharding }: ManagerOptions,
  { clock, config, log }: Base,
  background: LiveClient,
): Sharing | undefined {
  return sharding && makeMember(sharding, config, { client: background, clock, log });
}

/** Its writes are rejected as soon as another process may lead, or reconcile the same object. */
export function makeLiveClient(
  { client: { wrap: _wrap, ...options } = {} }: ManagerOptions,
  { name, clock, slices, config, measurements, log }: Base,
  beforeSend: ClientOptions["beforeSend"],
): LiveClient {
  const all: ClientOptions = {
    ...options,
    userAgent: name,
    fieldManager: name,
    clock,
    onWarning: ({ text, request }) => log.warn(text, { request }),
    onRequest: (report) => measurements.request(report),
    onLookup: (report) => measurements.lookup(report),
    beforeSend,
  };
  return createSlicedClient(config, all, slices);
}
