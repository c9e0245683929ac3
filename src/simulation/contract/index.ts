export type { ChildFault, CrashFault, Fault, RefusalFault, WatchFault, WebhookFault } from "./fault.ts";
export { readScenario } from "./read-scenario.ts";
export { type Ref, refOf, refText } from "./ref.ts";
export type { Run } from "./run.ts";
export {
  type Check,
  type ContainerCommand,
  isElected,
  type Limits,
  type Scenario,
  type SimulatedOperator,
} from "./scenario.ts";
export { type LeftOut, type State, stateOf } from "./state.ts";
export type { Step } from "./step.ts";
export type { Phase, TraceEvent } from "./trace-event.ts";
export type { MistakeClass, Verdict } from "./verdict.ts";
