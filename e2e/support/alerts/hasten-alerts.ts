import type { AlertRule } from "./prometheus.ts";

/** Alerts whose value is a time; those of webhooks are left as they are, which a test can wait for. */
const times = new Set(["ReconcileHangs", "ReconcileSlow", "QueueGrows", "InformerStale"]);
/** Their window must hold some restarts, however long these take. */
const unhurried = new Set(["OperatorRestarts", "LeaderFlaps"]);

/**
 * The rules for a test that can't wait: all times are sixty times shorter, so that 15 minutes are 15 seconds, and `for`
 * is 0. What `for` and the real times do is shown by promtool, which moves its clock.
 */
export function hastenAlerts(rules: readonly AlertRule[]): readonly AlertRule[] {
  return rules.map((scaffolded) => {
    const rule = { ...scaffolded, for: "0s" };
    if (unhurried.has(rule.alert)) return rule;
    const expr = rule.expr.replaceAll(/\[(\d+)m\]/gu, "[$1s]");
    if (!times.has(rule.alert)) return { ...rule, expr };
    return { ...rule, expr: expr.replaceAll(/> ([1-9]\d*)/gu, (_all, value) => `> ${Number(value) / 60}`) };
  });
}
