// A choice between values of minimum precision: red of one texture in lanes 0 to 2, of the other in the rest.
// dxc: -T cs_6_0
// image first = 8x1:r32f:1.5,2.5,3.5,4.5,5.5,6.5,7.5,8.5
// image second = 8x1:r32f:-1.5,-2.5,-3.5,-4.5,-5.5,-6.5,-7.5,-8.5
// set result = zeros:8
// expect result = 1.5 2.5 3.5 -4.5 -5.5 -6.5 -7.5 -8.5
Texture2D<min16float> first : register(t0);
Texture2D<min16float> second : register(t1);
RWStructuredBuffer<min16float> result : register(u2);
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    min16float value;
    if (id.x < 3)
        value = first.Load(int3(id));
    else
        value = second.Load(int3(id));
    result[id.x] = value;
}
