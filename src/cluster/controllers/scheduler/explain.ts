import { compareText } from "@tsbuilder/apimachinery/text";
import type { Refusal } from "./host.ts";

/** What the real scheduler adds for pods without devices. */
const noDevices = "no new claims to deallocate";

/** Why no node takes a pod, in the scheduler's words. */
export function explainRefusals(nodes: number, refusals: Iterable<Refusal>): string {
  return `${available(nodes)}: ${countReasons(refusals)}.`;
}

/** Why a pod isn't even tried on the nodes. The last words are what preemption says in 1.36 without tries. */
export function explainUntried(nodes: number, reason: string): string {
  return `${available(nodes)}: ${reason}. not found`;
}

/** Why the pods of lower priority make no room, for the nodes where that was tried. */
export function explainPreemption(nodes: number, tried: Iterable<Refusal>): string {
  const refusals = [...tried];
  const untried = Array.from({ length: nodes - refusals.length }, () => unhelpful);
  return `${available(nodes)}: ${countReasons([...refusals, ...untried])}.`;
}

export function withPreemption(refused: string, preemption: string): string {
  return `${refused} ${noDevices}, preemption: ${preemption}`;
}

const unhelpful: Refusal = { reasons: ["Preemption is not helpful for scheduling"], isLasting: true };

function available(nodes: number): string {
  return `0/${nodes} nodes are available`;
}

function countReasons(refusals: Iterable<Refusal>): string {
  const counts = new Map<string, number>();
  for (const { reasons } of refusals) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted(compareText)
    .join(", ");
}
