import { type Story } from "../story.ts";
export declare const errors: readonly Story[];
