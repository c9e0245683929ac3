import type { Condition, Duration } from "@tsbuilder/apimachinery/meta";
import { setCondition } from "@tsbuilder/apimachinery/meta";
import type { ControllerOptions } from "../controller/controller-spec.ts";
import { Manager } from "./manager.ts";

const name = "mysql-operator";

// Flags have the types of their definitions.
const manager = Manager.fromArgs({
  name,
  flags: {
    "max-databases": { type: "number", description: "Maximum number of databases.", default: 10 },
    class: { type: "string", description: "Only databases of this class.", env: "CLASS" },
    every: { type: "duration", description: "Time between two backups.", default: "1h" },
    paused: { type: "boolean", description: "Change nothing." },
  },
});
const max: number = manager.flags["max-databases"];
const only: string | undefined = manager.flags.class;
const every: Duration = manager.flags.every;
const paused: boolean = manager.flags.paused;
void [max, only, every, paused];
// @ts-expect-error A flag without a default may be undefined.
const always: string = manager.flags.class;
void always;
// @ts-expect-error Not a flag.
void manager.flags.clas;
// @ts-expect-error A flag has no `required`.
Manager.fromArgs({ name, flags: { class: { type: "string", description: "A class.", required: true } } });
// @ts-expect-error Not a type of flags.
Manager.fromArgs({ name, flags: { class: { type: "text", description: "A class." } } });
// @ts-expect-error The default of a number is a number.
Manager.fromArgs({ name, flags: { max: { type: "number", description: "A maximum.", default: "10" } } });
// @ts-expect-error Not a duration.
Manager.fromArgs({ name, flags: { every: { type: "duration", description: "A time.", default: "hourly" } } });
// @ts-expect-error Not an option.
Manager.fromArgs({ name, leaderElect: true });

// Durations have units, the larger one first.
const durations: Duration[] = ["5m", "1h30m", "250ms", "1.5s", "-1s", "0", "1h0m0.5s", "2m30s", "1s500ms"];
const options: ControllerOptions = {
  reconcileTimeout: "1m",
  resyncPeriod: `${max}h`,
  backoff: { max: "10m" },
};
// @ts-expect-error Units are letters.
durations.push("5 minutes");
// @ts-expect-error A unit is missing.
durations.push("30");
// @ts-expect-error Go has no days.
durations.push("1d");
// @ts-expect-error Not a duration.
const wrong: ControllerOptions = { stuckAfter: "soon" };
void [options, wrong];

// A generation may be missing; with `exactOptionalPropertyTypes` this is still one condition.
declare const conditions: Condition[] | undefined;
declare const generation: number | undefined;
const ready = { type: "Ready", status: "True", reason: "Reconciled" } as const;
setCondition(conditions, { ...ready, observedGeneration: generation, message: undefined }, manager.clock);
// @ts-expect-error A condition needs a reason.
setCondition(conditions, { type: "Ready", status: "True" });
// @ts-expect-error Not a status.
setCondition(conditions, { ...ready, status: true });

// Scheduled work has an interval or a cron expression.
manager.schedule({ name: "a", every: "1h", run: ({ log }) => log.info("Running") });
manager.schedule({ name: "b", cron: "0 3 * * *", needLeaderElection: false, async run() {} });
// @ts-expect-error It needs one of them.
manager.schedule({ name: "c", run() {} });
// @ts-expect-error It can't have both.
manager.schedule({ name: "d", every: "1h", cron: "@daily", run() {} });
