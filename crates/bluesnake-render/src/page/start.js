// Runs in every frame before its own scripts: keeps a page from opening anything, replaces what waits for frames, which
// do not come in virtual time, and makes its clock and its random numbers the same every time.
(isFixed => {
  const nothing = () => undefined;
  window.alert = window.print = nothing;
  window.confirm = () => false;
  window.prompt = window.open = () => null;
  if (navigator.serviceWorker) {
    const refuse = () => Promise.reject(new DOMException('service workers are off', 'SecurityError'));
    Object.defineProperty(Object.getPrototypeOf(navigator.serviceWorker), 'register', { value: refuse });
  }
  // The clock moves with the timers that fire, not with the machine. A thousand readings take a millisecond, so that
  // loops that wait for time to pass end.
  const start = Date.UTC(2026, 0, 1);
  let elapsed = 0, readings = 0;
  const realNow = performance.now.bind(performance);
  const now = isFixed ? () => elapsed + ++readings / 1000 : realNow;
  const { setTimeout, setInterval, clearTimeout, clearInterval } = window;
  const at = (time, callback) => function (...given) {
    elapsed = Math.max(elapsed, time());
    return callback.apply(this, given);
  };
  const length = delay => Math.max(0, Number(delay) || 0);
  window.setTimeout = (callback, delay, ...given) => {
    if (typeof callback !== 'function') return setTimeout(callback, delay);
    const due = elapsed + length(delay);
    return setTimeout(at(() => due, callback), delay, ...given);
  };
  window.setInterval = (callback, delay, ...given) => {
    if (typeof callback !== 'function') return setInterval(callback, delay);
    let due = elapsed;
    return setInterval(at(() => due += Math.max(4, length(delay)), callback), delay, ...given);
  };
  // Frames come when the machine has time for them; timers do not.
  window.requestAnimationFrame = callback => window.setTimeout(() => callback(now()), 16);
  window.requestIdleCallback = callback =>
    window.setTimeout(() => callback({ didTimeout: false, timeRemaining: () => 50 }), 1);
  window.cancelAnimationFrame = window.cancelIdleCallback = id => clearTimeout(id);

  // These two also wait for frames. Here they look at the layout when something is observed, and then regularly.
  const LOOK_MS = 100;
  const watching = Watch => class extends Watch {
    #callback;
    #seen = new Map();
    #timer;
    constructor(callback, options) {
      super(callback, options);
      this.#callback = callback;
    }
    observe(target) {
      this.#seen.set(target, undefined);
      setTimeout(() => this.#look(), 0);
      this.#timer ??= window.setInterval(() => this.#look(), LOOK_MS);
    }
    unobserve(target) {
      this.#seen.delete(target);
    }
    disconnect() {
      this.#seen.clear();
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    takeRecords() {
      return [];
    }
    #look() {
      const entries = [];
      for (const [target, before] of this.#seen) {
        const [state, entry] = this.measure(target);
        if (state !== before) {
          this.#seen.set(target, state);
          entries.push(entry);
        }
      }
      if (entries.length) this.#callback.call(this, entries, this);
    }
  };
  if (window.IntersectionObserver) {
    const margins = text => {
      const [top, right = top, bottom = top, left = right] = (text || '0px').split(' ').map(parseFloat);
      return { top, right, bottom, left };
    };
    window.IntersectionObserver = class extends watching(IntersectionObserver) {
      measure(target) {
        const box = target.getBoundingClientRect();
        const isElement = this.root instanceof Element;
        const view = isElement ? this.root.getBoundingClientRect() : new DOMRect(0, 0, innerWidth, innerHeight);
        const { top, right, bottom, left } = margins(this.rootMargin);
        const isIntersecting = box.bottom >= view.top - top && box.top <= view.bottom + bottom &&
          box.right >= view.left - left && box.left <= view.right + right && target.isConnected;
        const intersectionRatio = isIntersecting ? 1 : 0;
        const intersectionRect = isIntersecting ? box : new DOMRect();
        const entry = { target, isIntersecting, intersectionRatio, time: now() };
        return [isIntersecting, { ...entry, boundingClientRect: box, rootBounds: view, intersectionRect }];
      }
    };
  }
  if (window.ResizeObserver) {
    window.ResizeObserver = class extends watching(ResizeObserver) {
      measure(target) {
        const contentRect = target.getBoundingClientRect();
        const size = [{ inlineSize: contentRect.width, blockSize: contentRect.height }];
        const entry = { target, contentRect, borderBoxSize: size, contentBoxSize: size, devicePixelContentBoxSize: size };
        return [`${contentRect.width} ${contentRect.height}`, entry];
      }
    };
  }

  if (!isFixed) return;
  const RealDate = Date;
  const FixedDate = function (...given) {
    if (!new.target) return new RealDate(start + now()).toString();
    const made = given.length ? new RealDate(...given) : new RealDate(Math.floor(start + now()));
    return Object.setPrototypeOf(made, new.target.prototype);
  };
  FixedDate.prototype = RealDate.prototype;
  FixedDate.prototype.constructor = FixedDate;
  FixedDate.UTC = RealDate.UTC;
  FixedDate.parse = RealDate.parse;
  FixedDate.now = () => Math.floor(start + now());
  window.Date = FixedDate;
  Performance.prototype.now = now;

  let state = 0x9e3779b9;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  Math.random = () => random() / 4294967296;
  if (window.Crypto) {
    Crypto.prototype.getRandomValues = array => {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (let i = 0; i < bytes.length; i++) bytes[i] = random();
      return array;
    };
    Crypto.prototype.randomUUID = () =>
      '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, digit =>
        (Number(digit) ^ (random() & (15 >> (Number(digit) / 4)))).toString(16));
  }
})
