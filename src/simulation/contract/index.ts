/**
 * The words that all floors of the simulation share. Read `scenario.ts` first: it says what goes into a run, and `promises.ts` what
 * must hold in it. `run.ts` says what comes out, `fault.ts` lists everything that may go wrong on the way.
 */
export { external, type ExternalSystem, type PodName, type Pods } from "./external.ts";
export * from "./fault.ts";
export type { Check, Effect, LeadsTo, Promises } from "./promises.ts";
export type { MistakeClass, Phase, Run, TraceEvent, Verdict } from "./run.ts";
export {
  type ContainerCommand,
  isElected,
  type Limits,
  type OperatorProgram,
  type OperatorRelease,
  readScenario,
  type Scenario,
  type SimulatedOperator,
  type StartedProgram,
  type Step,
} from "./scenario.ts";
export { type LeftOut, type Ref, refOf, refText, type State, stateOf } from "./state.ts";
