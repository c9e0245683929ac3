import { type Story } from "../story.ts";
export declare const updates: readonly Story[];
