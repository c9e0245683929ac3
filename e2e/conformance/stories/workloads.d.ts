import { type Story } from "../story.ts";
export declare const workloads: readonly Story[];
