/** The channel's clock. A journey's device may have a wrong one (`journey`). */
class ChannelClock {
  /** The channel's clock minus the device's, in milliseconds. */
  offset = 0;

  now(): number {
    return Date.now() + this.offset;
  }
}

export const channelClock = new ChannelClock();
