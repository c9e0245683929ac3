// For the tests of operators: contexts, a test manager, a movable clock, and servers and proxies that break.
// Begin with `test-manager.ts`.

export { admissionContext, type TestAdmissionContext } from "./webhook-calls.ts";
export { checkRoundTrip, checkRoundTrips, type RoundTrips } from "./check-round-trips.ts";
export { createCRDValidator, type CRDValidator } from "./create-crd-validator.ts";
export { consistently, eventually, type EventuallyOptions } from "./eventually.ts";
export { type FaultProxy, type ProxiedRequest, type ProxyFault, startFaultProxy } from "./fault-proxy.ts";
export { FakeClock } from "@tsbuilder/apimachinery/time";
export { moveClock, moveClockUntil, type MoveOptions } from "./move-clock.ts";
export { reconcileContext, type RecordedEvent, type TestContext } from "./reconcile-context.ts";
export * from "./test-manager.ts";
export * from "./stub-server.ts";
