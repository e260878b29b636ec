/** Whether the machine runs nothing else (`make soak`). Only then do journeys hold the product to its times. */
export const IS_ALONE = process.env.ALONE === "1";
