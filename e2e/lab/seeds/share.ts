import { seedsPerPlan } from "../../../src/simulation/explore/explore.ts";

/** The share of one process: its seeds from `from` on, before `end`, of these plans. */
export interface Share {
  readonly plans: readonly number[];
  readonly from: number;
  readonly end: number;
  /** The golden project. */
  readonly folder: string;
}

/** Deals the plans to processes, in turn, so that all of them come to the end at about the same time. */
export function shares(from: number, seeds: number, processes: number, folder: string): Share[] {
  const end = from + seeds;
  const first = Math.floor(from / seedsPerPlan);
  const plans = Array.from({ length: Math.ceil(end / seedsPerPlan) - first }, (_, index) => first + index);
  return Array.from({ length: Math.min(processes, plans.length) }, (_, process) => ({
    plans: plans.filter((_plan, index) => index % processes === process),
    from,
    end,
    folder,
  }));
}

/** The result of the seeds of one plan. */
export interface PlanReport {
  readonly seeds: number;
  /** Fewer than the seeds after an alarm. */
  readonly runs: number;
  readonly alarm?: {
    readonly seed: number;
    readonly class: string;
    readonly message: string;
    readonly story: string;
    readonly test: string;
  };
}
