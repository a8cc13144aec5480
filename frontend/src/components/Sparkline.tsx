const WIDTH = 120;
const HEIGHT = 24;

/**
 * A small line chart from zero. A single value is a horizontal line; without values only its
 * place is kept.
 */
export function Sparkline({ values, label }: { values: number[]; label: string }) {
  if (values.length === 0) return <svg width={WIDTH} height={HEIGHT} aria-hidden="true" />;
  const most = Math.max(0, ...values) || 1;
  const course = values.length === 1 ? [...values, ...values] : values;
  const points = course.map((value, index) => {
    const x = (index / (course.length - 1)) * WIDTH;
    const y = HEIGHT - 1 - (value / most) * (HEIGHT - 2);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--rule)" />
      <polyline points={points.join(" ")} fill="none" stroke="var(--ink-2)" strokeWidth="1.25" />
    </svg>
  );
}
