"""Functions of doubles, which SPIR-V's extended instructions have for floats and halves only, written in Slang.

    sin(d)   ->   __double_sin(d)      to within a few units in the last place; sin, cos and tan for |d| below 10^6

Polynomials and reductions: fdlibm (Sun Microsystems, 1993), k_sin.c, k_cos.c, e_exp.c, e_log.c, s_atan.c. Vectors and
matrices go component by component.
"""

from typing import Final

PREFIX: Final = "__double_"
_UNARY: Final = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2",
    "exp10", "log", "log2", "log10", "radians", "degrees",
)  # fmt: skip
_BINARY: Final = ("atan2", "pow", "powr", "ldexp")
FUNCTIONS: Final = (*_UNARY, *_BINARY, "sincos", "refract")
_SCALARS: Final = """
double __double_scaled(double x, int k)
{
    int half = k / 2;
    return x * asdouble(0u, uint(1023 + half) << 20) * asdouble(0u, uint(1023 + k - half) << 20);
}
void __double_sincos(double x, out double s, out double c)
{
    double n = floor(x * 0.63661977236758134308lf + 0.5lf);
    double y = ((x - n * 1.57079632673412561417e+00lf) - n * 6.07710050630396597660e-11lf)
        - n * 2.02226624879595063154e-21lf;
    double z = y * y;
    double odd = y + y * z * (-1.66666666666666324348e-01lf + z * (8.33333333332248946124e-03lf
        + z * (-1.98412698298579493134e-04lf + z * (2.75573137070700676789e-06lf
        + z * (-2.50507602534068634195e-08lf + z * 1.58969099521155010221e-10lf)))));
    double even = 1.0lf - 0.5lf * z + z * z * (4.16666666666666019037e-02lf + z * (-1.38888888888741095749e-03lf
        + z * (2.48015872894767294178e-05lf + z * (-2.75573143513906633035e-07lf
        + z * (2.08757232129817482790e-09lf - z * 1.13596475577881948265e-11lf)))));
    int quadrant = int(n - 4.0lf * floor(n * 0.25lf));
    double first = (quadrant & 1) == 0 ? odd : even;
    double second = (quadrant & 1) == 0 ? even : odd;
    s = (quadrant & 2) == 0 ? first : -first;
    c = quadrant == 1 || quadrant == 2 ? -second : second;
}
double __double_sin(double x) { double s; double c; __double_sincos(x, s, c); return s; }
double __double_cos(double x) { double s; double c; __double_sincos(x, s, c); return c; }
double __double_tan(double x) { double s; double c; __double_sincos(x, s, c); return s / c; }
double __double_exp(double x)
{
    if (isnan(x)) return x;
    if (x > 709.782712893384lf) return asdouble(0u, 0x7FF00000u);
    if (x < -745.2lf) return 0.0lf;
    double n = floor(x * 1.44269504088896338700lf + 0.5lf);
    double high = x - n * 6.93147180369123816490e-01lf;
    double low = n * 1.90821492927058770002e-10lf;
    double r = high - low;
    double t = r * r;
    double c = r - t * (1.66666666666666019037e-01lf + t * (-2.77777777770155933842e-03lf
        + t * (6.61375632143793436117e-05lf + t * (-1.65339022054652515390e-06lf + t * 4.13813679705723846039e-08lf))));
    return __double_scaled(1.0lf - ((low - (r * c) / (2.0lf - c)) - high), int(n));
}
double __double_log(double x)
{
    if (isnan(x) || x < 0.0lf) return asdouble(0u, 0x7FF80000u);
    if (x == 0.0lf) return asdouble(0u, 0xFFF00000u);
    if (isinf(x)) return x;
    int k = 0;
    if (x < 2.2250738585072014e-308lf) { x *= 18014398509481984.0lf; k = -54; }
    uint low; uint high;
    asuint(x, low, high);
    k += int(high >> 20) - 1023;
    double m = asdouble(low, (high & 0x000FFFFFu) | 0x3FF00000u);
    if (m > 1.41421356237309504880lf) { m *= 0.5lf; k += 1; }
    double f = m - 1.0lf;
    double s = f / (2.0lf + f);
    double z = s * s;
    double r = z * (6.666666666666735130e-01lf + z * (3.999999999940941908e-01lf + z * (2.857142874366239149e-01lf
        + z * (2.222219843214978396e-01lf + z * (1.818357216161805012e-01lf
        + z * (1.531383769920937332e-01lf + z * 1.479819860510658591e-01lf))))));
    double half = 0.5lf * f * f;
    return double(k) * 6.93147180369123816490e-01lf
        - ((half - (s * (half + r) + double(k) * 1.90821492927058770002e-10lf)) - f);
}
double __double_atan(double x)
{
    double a = abs(x);
    double base = 0.0lf;
    double rest = 0.0lf;
    double y = a;
    if (a > 2.4375lf) { base = 1.57079632679489655800e+00lf; rest = 6.12323399573676603587e-17lf; y = -1.0lf / a; }
    else if (a > 1.1875lf)
    { base = 9.82793723247329054082e-01lf; rest = 1.39033110312309984516e-17lf; y = (a - 1.5lf) / (1.0lf + 1.5lf * a); }
    else if (a > 0.6875lf)
    { base = 7.85398163397448278999e-01lf; rest = 3.06161699786838301793e-17lf; y = (a - 1.0lf) / (a + 1.0lf); }
    else if (a > 0.4375lf)
    { base = 4.63647609000806093515e-01lf; rest = 2.26987774529616870924e-17lf; y = (2.0lf * a - 1.0lf) / (2.0lf + a); }
    double z = y * y;
    double w = z * z;
    double even = z * (3.33333333333329318027e-01lf + w * (1.42857142725034663711e-01lf
        + w * (9.09088713343650656196e-02lf + w * (6.66107313738753120669e-02lf
        + w * (4.97687799461593236017e-02lf + w * 1.62858201153657823623e-02lf)))));
    double odd = w * (-1.99999999998764832476e-01lf + w * (-1.11111104054623557880e-01lf
        + w * (-7.69187620504482999495e-02lf
        + w * (-5.83357013379057348645e-02lf - w * 3.65315727442169155270e-02lf))));
    double result = base - ((y * (even + odd) - rest) - y);
    return x < 0.0lf ? -result : result;
}
double __double_atan2(double y, double x)
{
    if (isnan(x) || isnan(y)) return x + y;
    double pi = 3.14159265358979311600e+00lf;
    if (x == 0.0lf) return y == 0.0lf ? 0.0lf : (y > 0.0lf ? 0.5lf * pi : -0.5lf * pi);
    double a = __double_atan(y / x);
    if (x > 0.0lf) return a;
    return y < 0.0lf ? a - pi : a + pi;
}
double __double_asin(double x) { return __double_atan2(x, sqrt((1.0lf - x) * (1.0lf + x))); }
double __double_acos(double x) { return 2.0lf * __double_atan2(sqrt(1.0lf - x), sqrt(1.0lf + x)); }
double __double_sinh(double x)
{
    double z = x * x;
    if (abs(x) < 0.3lf) return x * (1.0lf + z / 6.0lf * (1.0lf + z / 20.0lf * (1.0lf + z / 42.0lf * (1.0lf + z / 72.0lf
        * (1.0lf + z / 110.0lf * (1.0lf + z / 156.0lf))))));
    return 0.5lf * (__double_exp(x) - __double_exp(-x));
}
double __double_cosh(double x) { return 0.5lf * (__double_exp(x) + __double_exp(-x)); }
double __double_tanh(double x)
{
    if (abs(x) > 22.0lf) return x < 0.0lf ? -1.0lf : 1.0lf;
    return __double_sinh(x) / __double_cosh(x);
}
double __double_log1p(double x)
{
    double u = 1.0lf + x;
    return u == 1.0lf ? x : __double_log(u) * (x / (u - 1.0lf));
}
double __double_asinh(double x)
{
    double a = abs(x);
    double r = __double_log1p(a + a * a / (1.0lf + sqrt(1.0lf + a * a)));
    return x < 0.0lf ? -r : r;
}
double __double_acosh(double x) { double t = x - 1.0lf; return __double_log1p(t + sqrt(2.0lf * t + t * t)); }
double __double_atanh(double x) { return 0.5lf * __double_log1p(2.0lf * x / (1.0lf - x)); }
double __double_exp2(double x)
{
    double n = floor(x + 0.5lf);
    if (n > 1024.0lf) return asdouble(0u, 0x7FF00000u);
    if (n < -1080.0lf) return 0.0lf;
    return isnan(x) ? x : __double_scaled(__double_exp((x - n) * 6.93147180559945286227e-01lf), int(n));
}
double __double_exp10(double x) { return __double_exp2(x * 3.32192809488736218171lf); }
double __double_log2(double x)
{
    double whole = 0.0lf;
    if (x >= 2.2250738585072014e-308lf && !isinf(x)) {
        uint low; uint high;
        asuint(x, low, high);
        whole = double(int(high >> 20) - 1023);
        x = asdouble(low, (high & 0x000FFFFFu) | 0x3FF00000u);
        if (x > 1.41421356237309504880lf) { x *= 0.5lf; whole += 1.0lf; }
    }
    return whole + __double_log(x) * 1.44269504088896338700lf;
}
double __double_log10(double x) { return __double_log2(x) * 3.01029995663981198017e-01lf; }
double __double_pow(double x, double y) { return y == 0.0lf ? 1.0lf : __double_exp2(y * __double_log2(x)); }
double __double_ldexp(double x, double y) { return x * __double_exp2(y); }
double __double_powr(double x, double y) { return __double_pow(x, y); }
double __double_radians(double x) { return x * 1.74532925199432954744e-02lf; }
double __double_degrees(double x) { return x * 5.72957795130823228646e+01lf; }
double __double_refract(double x, double n, double eta)
{
    double d = n * x;
    double k = 1.0lf - eta * eta * (1.0lf - d * d);
    return k < 0.0lf ? 0.0lf : eta * x - (eta * d + sqrt(k)) * n;
}
vector<double, N> __double_refract<let N : int>(vector<double, N> x, vector<double, N> n, double eta)
{
    double d = dot(n, x);
    double k = 1.0lf - eta * eta * (1.0lf - d * d);
    return k < 0.0lf ? vector<double, N>(0.0lf) : eta * x - (eta * d + sqrt(k)) * n;
}
void __double_sincos<let N : int>(vector<double, N> x, out vector<double, N> s, out vector<double, N> c)
{
    double one;
    double other;
    for (int i = 0; i < N; i++) { __double_sincos(x[i], one, other); s[i] = one; c[i] = other; }
}
void __double_sincos<let R : int, let C : int>(
    matrix<double, R, C> x, out matrix<double, R, C> s, out matrix<double, R, C> c)
{
    vector<double, C> one;
    vector<double, C> other;
    for (int i = 0; i < R; i++) { __double_sincos(x[i], one, other); s[i] = one; c[i] = other; }
}
"""


def _shapes(name: str, count: int) -> str:
    given = ["x", "y"][:count]
    vectors = ", ".join([f"vector<double, N> {each}" for each in given])
    matrices = ", ".join([f"matrix<double, R, C> {each}" for each in given])
    parts = ", ".join([f"{each}[i]" for each in given])
    return f"""
vector<double, N> {PREFIX}{name}<let N : int>({vectors})
{{ vector<double, N> r; for (int i = 0; i < N; i++) r[i] = {PREFIX}{name}({parts}); return r; }}
matrix<double, R, C> {PREFIX}{name}<let R : int, let C : int>({matrices})
{{ matrix<double, R, C> r; for (int i = 0; i < R; i++) r[i] = {PREFIX}{name}({parts}); return r; }}
"""


def source() -> str:
    unary = [_shapes(name, 1) for name in _UNARY]
    return _SCALARS + "".join(unary) + "".join([_shapes(name, 2) for name in _BINARY])
