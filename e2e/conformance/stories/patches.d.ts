import { type Story } from "../story.ts";
export declare const patches: readonly Story[];
