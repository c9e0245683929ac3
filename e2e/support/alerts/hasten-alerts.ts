import type { AlertRule } from "./prometheus.ts";

/** Alerts whose value is a time; those of webhooks are left as they are, which a test can wait for. */
export const timeAlerts: ReadonlySet<string> = new Set([
  "ReconcileHangs",
  "ReconcileSlow",
  "QueueGrows",
  "InformerStale",
  "ObjectNotReady",
  "DeletionHangs",
]);
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
    const expr = hastenWindows(rule);
    if (!timeAlerts.has(rule.alert)) return { ...rule, expr };
    return { ...rule, expr: expr.replaceAll(/> ([1-9]\d*)/gu, (_all, value) => `> ${Number(value) / 60}`) };
  });
}

/** Returns the expression of a rule with shorter windows, and the times that it looks for as they are. */
export function hastenWindows({ expr }: AlertRule): string {
  return expr.replaceAll(/\[(\d+)m\]/gu, "[$1s]");
}
