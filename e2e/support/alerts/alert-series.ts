/** Series in promtool's notation, a value for each minute, in which an alert fires and clears. */
export interface AlertCase {
  readonly alert: string;
  readonly series: Readonly<Record<string, string>>;
  /** Minutes: not yet, then it does, then no longer. */
  readonly at: readonly [before: number, firing: number, after: number];
}

const of = (more = ""): string => `{job="shop", namespace="shop-system", pod="a"${more && `, ${more}`}}`;
const other = `{job="shop", namespace="shop-system", pod="b"}`;
const elsewhere = `{job="shop", namespace="another", pod="c"}`;
const controller = of('controller="shop"');
const otherController = '{job="shop", namespace="shop-system", pod="b", controller="shop"}';
const object = of('kind="Shop", object_namespace="default", object_name="a"');
const condition = (type: string, status: string, pod = "a"): string =>
  `tsbuilder_object_status_condition_last_transition_time{job="shop", namespace="shop-system", pod="${pod}", kind="Shop", object_namespace="default", object_name="a", condition="${type}", status="${status}"}`;
const kind = of('group="example.com", version="v1", kind="Shop"');

/** Buckets of a histogram whose observations, from the tenth minute on, all are above `low`. */
function above(name: string, labels: string, low: number, high: number): Record<string, string> {
  const bucket = (le: string): string => `${name}_bucket${of(`${labels}, le="${le}"`)}`;
  const counted = "0x9 0+1x40 40x40";
  return { [bucket(`${low}`)]: "0x90", [bucket(`${high}`)]: counted, [bucket("+Inf")]: counted };
}

export const alertCases: readonly AlertCase[] = [
  { alert: "OperatorDown", series: { [`up${of()}`]: "1x9 0x19 1x10" }, at: [14, 16, 31] },
  { alert: "OperatorDown", series: { [`up${of()}`]: "1x9 stale _x18 1x10" }, at: [14, 16, 31] },
  // A target that can't be scraped at first, and then is gone, is down all the time.
  { alert: "OperatorDown", series: { [`up${of()}`]: "1x9 0x2 stale _x15 1x10" }, at: [14, 16, 31] },
  // Another installation works.
  {
    alert: "OperatorDown",
    series: { [`up${of()}`]: "1x9 0x19 1x10", [`up${elsewhere}`]: "1x40" },
    at: [14, 16, 31],
  },
  {
    alert: "PodNotScraped",
    series: { [`up${of()}`]: "1x9 0x19 1x10", [`up${other}`]: "1x40" },
    at: [19, 21, 31],
  },
  {
    alert: "OperatorRestarts",
    series: { [`process_start_time_seconds${of()}`]: "0x9 1 2 3 4x60" },
    at: [12, 14, 42],
  },
  {
    alert: "ReconcileFails",
    series: { [`tsbuilder_failing_requests${controller}`]: "0x9 2x30 0x9" },
    at: [24, 26, 42],
  },
  {
    alert: "ReconcileHangs",
    series: { [`workqueue_longest_running_processor_seconds${controller}`]: "0x9 60+60x20 0x9" },
    at: [19, 21, 32],
  },
  {
    alert: "ReconcileSlow",
    series: above("controller_runtime_reconcile_time_seconds", 'controller="shop"', 30, 60),
    at: [20, 30, 75],
  },
  {
    alert: "QueueGrows",
    series: above("workqueue_queue_duration_seconds", 'controller="shop"', 100, 1000),
    at: [20, 30, 75],
  },
  {
    alert: "QueueGrows",
    series: {
      [`workqueue_depth${controller}`]: "0x9 5x40 0x9",
      [`workqueue_queue_duration_seconds_count${controller}`]: "7x60",
    },
    at: [24, 26, 52],
  },
  {
    // The other pod works.
    alert: "QueueGrows",
    series: {
      [`workqueue_depth${controller}`]: "0x9 5x40 0x9",
      [`workqueue_queue_duration_seconds_count${controller}`]: "7x60",
      [`workqueue_queue_duration_seconds_count${otherController}`]: "0+9x60",
    },
    at: [24, 26, 52],
  },
  {
    alert: "NoLeader",
    series: {
      [`leader_election_master_status${of()}`]: "1x9 0x14 1x9",
      [`leader_election_master_status${other}`]: "0x40",
    },
    at: [14, 16, 26],
  },
  {
    alert: "LeaderFlaps",
    series: { [`leader_election_master_status${of()}`]: "1x4 0 1 0 1 0 1 0 1x60" },
    at: [10, 12, 43],
  },
  {
    alert: "InformerStale",
    series: { [`tsbuilder_informer_last_event_age_seconds${kind}`]: "0x9 60+60x20 0x9" },
    at: [24, 26, 32],
  },
  {
    alert: "InformerFails",
    series: { [`tsbuilder_informer_watch_errors${kind}`]: "0x9 1+1x19 20x40" },
    at: [15, 25, 50],
  },
  {
    alert: "InformerFails",
    series: { [`tsbuilder_informer_relists${kind}`]: "0x9 1+1x19 20x40" },
    at: [15, 25, 50],
  },
  {
    alert: "ApiRequestsFail",
    series: {
      [`rest_client_requests_total${of('code="200"')}`]: "0+10x90",
      [`rest_client_requests_total${of('code="401"')}`]: "0x9 0+1x25 25x40",
      [`rest_client_requests_total${of('code="403"')}`]: "0x9 0+1x25 25x40",
    },
    at: [20, 36, 55],
  },
  {
    alert: "EventLoopBlocked",
    series: { [`tsbuilder_event_loop_blocked_seconds_total${of()}`]: "0x9 0+12x20 240x20" },
    at: [19, 25, 38],
  },
  {
    alert: "MemoryNearLimit",
    series: {
      [`nodejs_heap_size_used_bytes${of()}`]: "50x9 95x30 50x9",
      [`tsbuilder_heap_limit_bytes${of()}`]: "100x60",
    },
    at: [24, 26, 42],
  },
  {
    alert: "MemoryNearLimit",
    series: {
      [`process_resident_memory_bytes${of()}`]: "50x9 95x30 50x9",
      [`tsbuilder_container_memory_limit_bytes${of()}`]: "100x60",
    },
    at: [24, 26, 42],
  },
  {
    alert: "WebhookFails",
    series: {
      [`controller_runtime_webhook_requests_total${of('webhook="/validate", code="500"')}`]:
        "0x9 0+1x20 20x20",
    },
    at: [14, 18, 38],
  },
  {
    alert: "ConversionFails",
    series: { [`controller_runtime_conversion_webhook_panics_total${of()}`]: "0x9 1x30" },
    at: [9, 11, 17],
  },
  {
    alert: "WebhookSlow",
    series: above("controller_runtime_webhook_latency_seconds", 'webhook="/validate"', 1, 10),
    at: [19, 25, 60],
  },
  {
    // In these series, time begins with 0; seven days are 604,800 s.
    alert: "WebhookCertificateExpires",
    series: {
      [`tsbuilder_webhook_certificate_expiry_timestamp_seconds${of()}`]: "700000x9 500000x30 8000000x9",
    },
    at: [24, 26, 42],
  },
  {
    // Time begins with 0: at minute 9, the condition gets its status.
    alert: "ObjectNotReady",
    series: {
      [condition("Ready", "true")]: "0x8 stale _x30 2400x20",
      [condition("Ready", "false")]: "_x8 540x30 stale",
    },
    at: [23, 26, 41],
  },
  {
    // Another pod leads from minute 20 on: the condition is as old as before.
    alert: "ObjectNotReady",
    series: {
      [condition("Degraded", "true")]: "_x8 540x10 stale",
      [condition("Degraded", "true", "b")]: "_x19 540x20 stale",
    },
    at: [23, 26, 41],
  },
  {
    alert: "SpecNotObserved",
    series: { [`tsbuilder_object_generation_lag${object}`]: "0x9 1x30 0x9" },
    at: [24, 26, 42],
  },
  {
    alert: "DeletionHangs",
    series: { [`tsbuilder_object_deletion_timestamp${object}`]: "_x8 540x30 stale" },
    at: [23, 26, 41],
  },
  {
    alert: "ShardsUnowned",
    series: {
      [`tsbuilder_shard_ranges_held${of()}`]: "32x60",
      [`tsbuilder_shard_ranges_held${other}`]: "32x9 0x19 32x20",
    },
    at: [14, 16, 31],
  },
];

/** Series with which an alert must not fire. */
export const silentCases: readonly {
  readonly alert: string;
  readonly why: string;
  readonly series: Readonly<Record<string, string>>;
}[] = [
  {
    alert: "NoLeader",
    why: "the leader is the pod that can't be scraped",
    series: {
      [`up${of()}`]: "1x9 0x30",
      [`leader_election_master_status${of()}`]: "1x9 stale",
      [`leader_election_master_status${other}`]: "0x40",
    },
  },
  {
    alert: "ShardsUnowned",
    why: "a pod that can't be scraped has the rest",
    series: {
      [`up${of()}`]: "1x9 0x30",
      [`tsbuilder_shard_ranges_held${of()}`]: "32x9 stale",
      [`tsbuilder_shard_ranges_held${other}`]: "32x40",
    },
  },
  {
    alert: "ObjectNotReady",
    why: "a condition that is false says that nothing is wrong",
    series: { [condition("Degraded", "false")]: "0x60", [condition("Ready", "true")]: "0x60" },
  },
  {
    alert: "InformerFails",
    why: "three pods saw two errors each",
    series: Object.fromEntries(
      ["a", "b", "c"].map((pod) => [
        `tsbuilder_informer_watch_errors{job="shop", namespace="shop-system", pod="${pod}", kind="Shop"}`,
        "0x9 1 2x30",
      ]),
    ),
  },
];
